#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""reference.py: the handshake and the MACs of docs/protocol.md, section 12, written a
second time from that text and the specifications that it names. Prints an example as a C
header, with which the KUnit suite and tests/auth/replay.c compare auth/: that is
tests/kunit/auth_vectors.h. It is slow, and no model for code that has secrets."""

import hashlib
import struct

P = 2**255 - 19
LOGIN, LOGIN_REPLY, CONTINUE, X25519_METHOD = 0x20, 0x21, 10, 1
TO_TARGET, TO_HOST = 0, 1


def x25519(scalar, point):
    """RFC 7748, section 5."""
    k = bytearray(scalar)
    k[0] &= 248
    k[31] = k[31] & 127 | 64
    k = int.from_bytes(k, "little")
    x1 = int.from_bytes(point, "little") % 2**255 % P
    x2, z2, x3, z3, swap = 1, 0, x1, 1, 0
    for t in reversed(range(255)):
        bit = k >> t & 1
        if swap ^ bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swap = bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        da, cb = d * a, c * b
        x3, z3 = (da + cb) ** 2 % P, x1 * (da - cb) ** 2 % P
        e = a * a - b * b
        x2, z2 = a * a * b * b % P, e * (a * a + 121665 * e) % P
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, "little")


def public(private):
    return x25519(private, (9).to_bytes(32, "little"))


def siphash(key, data):
    """SipHash-2-4 as its paper has it."""
    mask = 2**64 - 1
    k0, k1 = struct.unpack("<QQ", key)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D,
         k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def rotate(x, n):
        return (x << n | x >> 64 - n) & mask

    def rounds(n):
        for _ in range(n):
            v[0] = v[0] + v[1] & mask
            v[2] = v[2] + v[3] & mask
            v[1] = rotate(v[1], 13) ^ v[0]
            v[3] = rotate(v[3], 16) ^ v[2]
            v[0] = rotate(v[0], 32)
            v[2] = v[2] + v[1] & mask
            v[0] = v[0] + v[3] & mask
            v[1] = rotate(v[1], 17) ^ v[2]
            v[3] = rotate(v[3], 21) ^ v[0]
            v[2] = rotate(v[2], 32)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 255])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 255
    rounds(4)
    return struct.pack("<Q", v[0] ^ v[1] ^ v[2] ^ v[3])


def h(*parts):
    return hashlib.blake2s(b"".join(parts)).digest()


def hk(key, *parts):
    return hashlib.blake2s(b"".join(parts), key=key).digest()


def label(text):
    return text.encode().ljust(8, b"\0")


def login(xid, auth):
    """LOGIN of one host; all but its xid and @auth stays the same."""
    head = struct.pack("<BBHIIHH", LOGIN, 1, 0, 248, xid, 0, 0)
    host, instance = made("host UUID")[:16], made("instance")[:16]
    return (head + host + instance + b"web-7".ljust(64, b"\0") +
            struct.pack("<HHI", X25519_METHOD, len(auth), 0) + auth.ljust(128, b"\0"))


def login_reply(xid, auth):
    head = struct.pack("<BBHIIHH", LOGIN_REPLY, 1, 0, 240, xid, CONTINUE, 0)
    return (head + bytes(8) + made("target UUID")[:16] + b"store".ljust(64, b"\0") +
            struct.pack("<IHH", 5000, len(auth), 0) + auth.ljust(128, b"\0"))


def handshake(req, rep, psk):
    """The three messages, and the secret that both sides have then."""
    e_h, s_h, e_t, s_t = (public(x) for x in (HOST_EPHEMERAL, HOST, TARGET_EPHEMERAL, TARGET))
    h0 = h(label("rblkauth"), req, rep)
    first = login(1, e_h + s_h)
    h1 = h(h0, first)
    h2 = h(h1, login_reply(1, e_t + s_t + bytes(16)))
    k = hk(psk, x25519(HOST_EPHEMERAL, e_t), x25519(HOST_EPHEMERAL, s_t), x25519(HOST, e_t), h2)
    assert k == hk(psk, x25519(TARGET_EPHEMERAL, e_h), x25519(TARGET, e_h),
                   x25519(TARGET_EPHEMERAL, s_h), h2)
    reply = login_reply(1, e_t + s_t + hk(k, label("target"), h2)[:16])
    h3 = h(h2, login(2, bytes(16)))
    second = login(2, hk(k, label("host"), h3)[:16])
    return first, reply, second, hk(k, label("session"), h3)


def mac_key(secret, way, req, rep):
    (qid,) = struct.unpack_from("<H", req, 28)
    return hk(secret, label("mac"), struct.pack("<II", qid, way),
              h(label("rblkconn"), req, rep))[:16]


def sign(key, counter, message):
    return message + siphash(key, message + struct.pack("<Q", counter))


def host_id(key):
    uuid = bytearray(h(label("rblkhost"), key)[:16])
    uuid[6] = uuid[6] & 15 | 128
    uuid[8] = uuid[8] & 63 | 128
    return bytes(uuid)


def made(what):
    """Bytes that are nobody's secret, 32 of them."""
    return hashlib.sha256(b"rblk example: " + what.encode()).digest()


def connection(qid):
    req = struct.pack("<IHBB16sIHHHHIIIII", 0x6B6C6272, 56, 1, 1, made("session")[:16], 7, qid, 4,
                      128, 0, 0, 1 << 20, 0, 4096, 0)
    rep = struct.pack("<IHBBHHHHIIII16s16x", 0x6B6C6272, 64, 1, 0, 4, 128, 16, 0, 0, 1 << 20, 0,
                      4096, made("nonce %d" % qid)[:16])
    return req, rep


HOST, HOST_EPHEMERAL = made("host"), made("host, ephemeral")
TARGET, TARGET_EPHEMERAL = made("target"), made("target, ephemeral")
PSK = made("pre-shared key")


def array(name, data):
    print(f"\nstatic const u8 __maybe_unused {name}[{len(data)}] = {{")
    for i in range(0, len(data), 12):
        print("\t" + " ".join(f"0x{x:02x}," for x in data[i:i + 12]))
    print("};")


def self_test():
    """RFC 7748, section 5.2, and the vectors of SipHash's and BLAKE2's authors."""
    one = bytes.fromhex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
    two = bytes.fromhex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")
    assert x25519(one, two).hex() == \
        "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
    assert siphash(bytes(range(16)), bytes(range(15))).hex() == "e545be4961ca29a1"
    assert h(b"abc").hex() == "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"


def main():
    self_test()
    req, rep = connection(0)
    io_req, io_rep = connection(3)
    print("/* SPDX-License-Identifier: GPL-2.0-only */")
    print("/* An example of the handshake and of MACs, as printed by reference.py. */")
    print("#ifndef AUTH_VECTORS_H\n#define AUTH_VECTORS_H")
    for name, data in (("host", HOST), ("host_ephemeral", HOST_EPHEMERAL), ("target", TARGET),
                       ("target_ephemeral", TARGET_EPHEMERAL), ("psk", PSK)):
        array("vector_" + name, data)
    array("vector_host_public", public(HOST))
    array("vector_host_id", host_id(public(HOST)))
    array("vector_target_public", public(TARGET))
    array("vector_req", req)
    array("vector_rep", rep)
    for kind, psk in (("", bytes(32)), ("psk_", PSK)):
        for name, data in zip(("login1", "reply", "login2", "secret"), handshake(req, rep, psk)):
            array(f"vector_{kind}{name}", data)
    array("vector_io_req", io_req)
    array("vector_io_rep", io_rep)
    secret = handshake(req, rep, PSK)[3]
    for way, name in ((TO_TARGET, "command"), (TO_HOST, "response")):
        key = mac_key(secret, way, io_req, io_rep)
        message = struct.pack("<BBHI", 1 + way, 1, 0, 64) + bytes(range(48))
        for counter in (0, 1):
            array(f"vector_{name}{counter}", sign(key, counter, message))
    print("\n#endif /* AUTH_VECTORS_H */")


main()
