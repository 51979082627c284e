//go:build amd64 && !purego

package sums

//go:generate env -C ../../../_asm GOWORK=off go run ./cmd/generate -package sums -dir ../internal/vartime/sums
