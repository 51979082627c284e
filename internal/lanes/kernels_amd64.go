//go:build amd64 && !purego

package lanes

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package lanes -dir ../internal/lanes
