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
// the rows of each call, and if one of them fails, the others compute the rows that it did not
// finish.
//
// Every verdict is the same as without a device. The CPU computes the rows that a device leaves
// undecided, the calls in which the device fails, and the calls that are too short for a device to
// be faster. The CPU also verifies a sample of the device's answers again: see batch.Options, and
// docs/gpu.md for how much harm a device that lies can do.
//
// A device carries out ECDSARows.Verify, SchnorrRows.Verify, both with prepared keys too,
// RecoverRows.Recover and EthereumAddresses, KeyRows.Decompress, ScalarRows.PublicKeysVartime and
// Verify of accumulators, each row on its own. It also carries out VerifyAll of rows and
// accumulators, for BIP-340 signatures and for ECDSA signatures with recovery ids, by one equation
// for all rows; the CPU does not verify that equation again (docs/batch-soundness.md). It also
// computes the sums of package msm. The CPU does everything else, such as rows with keys of 65
// bytes.
//
// All of this is for public data: keys, messages, signatures, and public scalars. The data of a
// call stays in the device's memory after the call, and in the host's buffers from which it was
// copied. No function of this library that takes a secret can use a device.
//
// The package needs no cgo. It loads libcuda and libOpenCL if they are installed: on Linux, Windows
// and, for OpenCL, macOS, on amd64 and arm64. On other platforms, or if neither library is
// installed, List returns no devices, and the error of Open says why.
package gpu
