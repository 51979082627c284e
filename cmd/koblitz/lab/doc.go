// Package lab tests packages of the command with streams and files that arrow-go, Apache's library
// for Arrow and Parquet, writes and reads. It is a separate module, so that neither the command's
// module nor the workspace depends on that library, which takes long to compile.
//
//	GOWORK=off go test .
package lab
