// Package gpu opens accelerators for package batch: NVIDIA's by the CUDA driver, and those of
// all vendors by OpenCL. Programs put what [Open] returns into batch.Options:
//
//	d, err := gpu.Open()
//	if err != nil {
//		log.Print(err) // d is nil, and calls on it are done by the CPU
//	}
//	valid, err := rows.Verify(ctx, verdicts, &batch.Options{Device: d})
//
// Several devices can be one: Open(gpu.All()), or Open(gpu.Named("cuda:0", "cuda:1")). They share
// each call, and what one fails to do the others do.
//
// Every verdict is what it is without a device. Rows that a device cannot settle, calls in
// which it fails, and calls that are too short to pay, the CPU does; and it verifies again what
// the device says: see batch.Options, and docs/gpu.md for what a device that lies can achieve.
//
// A device carries out ECDSARows.Verify, SchnorrRows.Verify, both with prepared keys too,
// RecoverRows.Recover and EthereumAddresses, KeyRows.Decompress, ScalarRows.PublicKeysVartime and
// Verify of accumulators, each row alone. It carries out VerifyAll, of rows and of accumulators, by
// one equation for BIP-340's rows and for ECDSA's with recovery ids, which is not verified again
// (docs/batch-soundness.md), and sums of package msm. The CPU does everything else, such as rows
// with keys of 65 bytes.
//
// All of it is for public data: keys, messages, signatures, and scalars that are no secrets.
// What a device is given stays in its memory, and on the way there, after a call. No function
// of this library that takes a secret knows devices.
//
// The package needs no cgo. It loads libcuda and libOpenCL where they are: on Linux, Windows
// and, for OpenCL, macOS, on amd64 and arm64. Elsewhere, and where neither is installed, there
// are no devices, and Open says why.
package gpu
