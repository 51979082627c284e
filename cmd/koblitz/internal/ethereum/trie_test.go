package ethereum

import (
	"bytes"
	"encoding/hex"
	"testing"
)

// TestRoot checks the roots of lists, from package trie of go-ethereum 1.17.10 (StackTrie), which
// depends on its databases and takes long to compile. Some items are shorter than 32 bytes, so that
// their nodes are embedded in their parents. TestExport checks the roots of real blocks.
func TestRoot(t *testing.T) {
	for _, c := range []struct {
		n, size int
		want    string
	}{
		{0, 1, "56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"},
		{1, 1, "ac92bc8d02906a87a573c32c72bb427036f0e43d7a7375c5c491ebba064add15"},
		{1, 200, "a27aa203f1b9521fe3980ffa7a6253b8e0b44e63ee95a14e3adbe2fc561ac875"},
		{2, 1, "4a3815b0ab6006affca7c6bd4439e8b578b105be35c133a646d11bebd15d6312"},
		{16, 20, "aba2c4781594c5b245f00ef1f497f858a761fc5f3eee7ee545f989ff5bf64a89"},
		{17, 27, "b2b2931c635111583f0b90409ebe9e2ed343c097ef6222b8ea2bf8fae67835eb"},
		{129, 28, "319c83da02a791f6196c7190e77394f11aa77951703df3fc9c4bdc2c4a113d6a"},
		{130, 29, "4c0130c59cb2919bbc22b5fd5db47d0eee3b74add98c805231040202a3d22b99"},
		{145, 30, "8a7fefa537218c0d243117c48c679c3413250250370e8077ce989c6b96f6924f"},
		{257, 31, "2c14881f0dc36f4298b6d64affb7e73e1973f4a6cce05583ff41e9c6134f4e79"},
		{300, 28, "6bb8d0723ace61f2ca1a0003c54d7fee83135c07a6825ed5b84869174caf3e24"},
		{513, 33, "eec5eabf174dfd0f7cae34316f83dda46da8b18b626591f7c79d9affe7db7a46"},
		{4098, 28, "80a010ed6b01eca23302baab2941291d99c9fd244cc8327da2049a47b175f33b"},
		{4098, 60, "ea2cc98d18074959fedbf3a37e2c184e4ad8e0cd6ac6382ef26d804d1c1f1e3a"},
	} {
		var list [][]byte
		for i := range c.n {
			list = append(list, bytes.Repeat([]byte{byte(i) | 1, byte(i >> 8)}, c.size)[:c.size])
		}
		if got := root(list); hex.EncodeToString(got[:]) != c.want {
			t.Errorf("%d items of %d bytes: %x, want %s", c.n, c.size, got, c.want)
		}
	}
}
