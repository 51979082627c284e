"""Signed rows for tests, by arithmetic that is plain, slow and fit for nothing else."""

import hashlib

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
     0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)


def points(n):
    """1·G to n·G."""
    x, y = G
    for i in range(n):
        yield x, y
        gx, gy = G
        slope = (3 * x * x * pow(2 * y, -1, P) if i == 0 else (gy - y) * pow(gx - x, -1, P)) % P
        nx = (slope * slope - x - gx) % P
        x, y = nx, (slope * (x - nx) - y) % P


def rows(n):
    """n rows of the keys 1 to n: hash, key (compressed), ECDSA (r‖s‖v), x-only key, BIP-340."""
    made = []
    all_points = list(points(n + 1))
    for i in range(n):
        d, (x, y), k, (rx, ry) = i + 1, all_points[i], i + 2, all_points[i + 1]
        h = hashlib.sha256(b"row %d" % i).digest()
        s = pow(k, -1, N) * (int.from_bytes(h, "big") + rx * d) % N
        ecdsa = rx.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([ry & 1])
        d, k = N - d if y & 1 else d, N - k if ry & 1 else k
        tag = hashlib.sha256(b"BIP0340/challenge").digest()
        r, px = rx.to_bytes(32, "big"), x.to_bytes(32, "big")
        e = int.from_bytes(hashlib.sha256(tag + tag + r + px + h).digest(), "big") % N
        bip340 = r + ((k + e * d) % N).to_bytes(32, "big")
        made.append((h, bytes([2 + (y & 1)]) + px, ecdsa, px, bip340))
    return made
