//go:build amd64 && !purego

package blocks

//go:generate env -C ../../../_asm GOWORK=off go run ./cmd/generate -package blocks -dir ../internal/vartime/blocks
