//go:build amd64 && !purego

package vartime

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package vartime -dir ../internal/vartime
