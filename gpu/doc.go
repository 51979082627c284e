// Package gpu opens accelerators for package batch: NVIDIA GPUs through the CUDA driver, and GPUs
// of all vendors through OpenCL. Programs put the result of [Open] into batch.Options:
//
//	d, err := gpu.Open()
//	if err != nil {
//		log.Print(err) // d is nil, and calls on it are done by the CPU
//	}
//	valid, err := rows.Verify(ctx, verdicts, &batch.Options{Device: d})
//
// Open(gpu.All()) and Open(gpu.Named("cuda:0", "cuda:1")) open several devices as one. They share
// the rows of each call, and if one of them fails, the others do its part.
//
// Every verdict is the same as without a device. The CPU does the rows that a device cannot settle,
// the calls in which it fails, and the calls that are too short to pay. The CPU also verifies again
// some of the device's answers: see batch.Options, and docs/gpu.md for how much harm a device that
// lies can do.
//
// A device carries out ECDSARows.Verify, SchnorrRows.Verify, both with prepared keys too,
// RecoverRows.Recover and EthereumAddresses, KeyRows.Decompress, ScalarRows.PublicKeysVartime and
// Verify of accumulators, each row alone. It carries out VerifyAll, of rows and of accumulators, by
// one equation for BIP-340's rows and for ECDSA's with recovery ids, which is not verified again
// (docs/batch-soundness.md), and sums of package msm. The CPU does everything else, such as rows
// with keys of 65 bytes.
//
// All of this is for public data: keys, messages, signatures, and public scalars. The data of a
// call stays in the device's memory after the call, and in the buffers on the way there. No
// function of this library that takes a secret can use a device.
//
// The package needs no cgo. It loads libcuda and libOpenCL if they are installed: on Linux, Windows
// and, for OpenCL, macOS, on amd64 and arm64. On other platforms, or if neither library is
// installed, List returns no devices, and the error of Open says why.
package gpu
