// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's primitives as the handshake gets them, against the vectors of their
 * specifications.
 */
#include "../../compat/crypto.h"
#include "../../auth/auth.h"
#include "message.h"

static u8 digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* A string of hexadecimal digits, as specifications print numbers. */
static void from_hex(struct kunit *test, u8 *bytes, size_t count, const char *digits)
{
	size_t i;

	KUNIT_ASSERT_EQ(test, strlen(digits), 2 * count);
	for (i = 0; i < count; i++)
		bytes[i] = digit(digits[2 * i]) << 4 | digit(digits[2 * i + 1]);
}

static void expect_hex(struct kunit *test, const u8 *bytes, const char *digits)
{
	u8 want[32];

	from_hex(test, want, sizeof(want), digits);
	KUNIT_EXPECT_MEMEQ(test, bytes, want, sizeof(want));
}

static void expect_product(struct kunit *test, const char *scalar, const char *point,
			   const char *product)
{
	u8 k[32], u[32], got[32];

	from_hex(test, k, sizeof(k), scalar);
	from_hex(test, u, sizeof(u), point);
	KUNIT_EXPECT_TRUE(test, compat_x25519(got, k, u));
	expect_hex(test, got, product);
}

/* RFC 7748, section 5.2.  The second pair is not as it must be, and is corrected. */
static void x25519_products(struct kunit *test)
{
	expect_product(test, "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
		       "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
		       "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552");
	expect_product(test, "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
		       "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
		       "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957");
}

static void x25519_iterated(struct kunit *test)
{
	u8 k[32] = { 9 }, u[32] = { 9 }, next[32];
	unsigned int i;

	for (i = 1; i <= 1000; i++) {
		KUNIT_ASSERT_TRUE(test, compat_x25519(next, k, u));
		memcpy(u, k, sizeof(u));
		memcpy(k, next, sizeof(k));
		if (i == 1)
			expect_hex(test, k,
				   "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079");
	}
	expect_hex(test, k, "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51");
}

/* RFC 7748, section 6.1 */
static void x25519_agreed(struct kunit *test)
{
	struct rblk_auth_pair a, b;
	u8 private[32], shared[32];

	from_hex(test, private, sizeof(private),
		 "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
	KUNIT_EXPECT_EQ(test, rblk_auth_pair_from(&a, private), 0);
	expect_hex(test, a.public,
		   "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
	from_hex(test, private, sizeof(private),
		 "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
	KUNIT_EXPECT_EQ(test, rblk_auth_pair_from(&b, private), 0);
	expect_hex(test, b.public,
		   "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
	KUNIT_EXPECT_TRUE(test, compat_x25519(shared, a.private, b.public));
	expect_hex(test, shared,
		   "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
	KUNIT_EXPECT_TRUE(test, compat_x25519(shared, b.private, a.public));
	expect_hex(test, shared,
		   "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
}

/* All private keys have a public one, also those that are no use: they are corrected. */
static void x25519_any_private(struct kunit *test)
{
	struct rblk_auth_pair pair, first;
	u8 private[32] = {};

	KUNIT_EXPECT_EQ(test, rblk_auth_pair_from(&first, private), 0);
	private[0] = 7;
	private[31] = 0x80;
	KUNIT_EXPECT_EQ(test, rblk_auth_pair_from(&pair, private), 0);
	KUNIT_EXPECT_MEMEQ(test, pair.public, first.public, sizeof(pair.public));
	memset(private, 0xff, sizeof(private));
	KUNIT_EXPECT_EQ(test, rblk_auth_pair_from(&pair, private), 0);
}

/* The points of low order, and the numbers that stand for them, with and without bit 255. */
static const char * const low_order[] = {
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0100000000000000000000000000000000000000000000000000000000000000",
	"e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
	"5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
};

static void x25519_low_order(struct kunit *test)
{
	u8 private[32], point[32], product[32];
	unsigned int i;

	memset(private, 0x5a, sizeof(private));
	for (i = 0; i < 2 * ARRAY_SIZE(low_order); i++) {
		from_hex(test, point, sizeof(point), low_order[i / 2]);
		point[31] |= i % 2 << 7;
		KUNIT_EXPECT_FALSE_MSG(test, compat_x25519(product, private, point), "%u", i);
	}
}

static void hash(u8 *result, size_t bytes, const u8 *key, size_t key_bytes, const u8 *data,
		 size_t data_bytes)
{
	struct blake2s_ctx ctx;

	if (key)
		blake2s_init_key(&ctx, bytes, key, key_bytes);
	else
		blake2s_init(&ctx, bytes);
	/* In two parts, as nothing else here hashes in one. */
	blake2s_update(&ctx, data, data_bytes / 3);
	blake2s_update(&ctx, data + data_bytes / 3, data_bytes - data_bytes / 3);
	blake2s_final(&ctx, result);
}

/* RFC 7693, appendix B */
static void blake2s_abc(struct kunit *test)
{
	u8 got[32];

	hash(got, sizeof(got), NULL, 0, "abc", 3);
	expect_hex(test, got, "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
}

/* blake2s-kat.txt of BLAKE2's authors: the key is 0, 1, 2 ..., and so is the data. */
static void blake2s_keyed(struct kunit *test)
{
	static const struct {
		size_t bytes;
		const char *want;
	} kat[] = {
		{ 0, "48a8997da407876b3d79c0d92325ad3b89cbb754d86ab71aee047ad345fd2c49" },
		{ 1, "40d15fee7c328830166ac3f918650f807e7e01e177258cdc0a39b11f598066f1" },
		{ 63, "c65382513f07460da39833cb666c5ed82e61b9e998f4b0c4287cee56c3cc9bcd" },
		{ 64, "8975b0577fd35566d750b362b0897a26c399136df07bababbde6203ff2954ed4" },
		{ 65, "21fe0ceb0052be7fb0f004187cacd7de67fa6eb0938d927677f2398c132317a8" },
		{ 255, "3fb735061abc519dfe979e54c1ee5bfad0a9d858b3315bad34bde999efd724dd" },
	};
	u8 data[255], got[32];
	unsigned int i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = i;
	for (i = 0; i < ARRAY_SIZE(kat); i++) {
		hash(got, sizeof(got), data, 32, data, kat[i].bytes);
		expect_hex(test, got, kat[i].want);
	}
}

/* RFC 7693, appendix E: what it fills its keys and inputs with. */
static void selftest_seq(u8 *out, size_t bytes, u32 seed)
{
	u32 a = 0xdead4bad * seed, b = 1, t;
	size_t i;

	for (i = 0; i < bytes; i++) {
		t = a + b;
		a = b;
		b = t;
		out[i] = t >> 24;
	}
}

static void blake2s_selftest(struct kunit *test)
{
	static const size_t sizes[] = { 16, 20, 28, 32 }, inputs[] = { 0, 3, 64, 65, 255, 1024 };
	u8 *data = kunit_kmalloc(test, 1024, GFP_KERNEL);
	u8 key[32], got[32];
	struct blake2s_ctx ctx;
	unsigned int i, j;

	KUNIT_ASSERT_NOT_NULL(test, data);
	blake2s_init(&ctx, 32);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (j = 0; j < ARRAY_SIZE(inputs); j++) {
			selftest_seq(data, inputs[j], inputs[j]);
			hash(got, sizes[i], NULL, 0, data, inputs[j]);
			blake2s_update(&ctx, got, sizes[i]);
			selftest_seq(key, sizes[i], sizes[i]);
			hash(got, sizes[i], key, sizes[i], data, inputs[j]);
			blake2s_update(&ctx, got, sizes[i]);
		}
	}
	blake2s_final(&ctx, got);
	expect_hex(test, got, "6a411f08ce25adcdfb02aba641451cec53c598b24f4fc787fbdc88797f4c1dfe");
}

/* The table of SipHash's authors: the key is 0, 1, 2 ..., and so is the data. */
static const u64 sip[64] = {
	0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d,
	0xcf2794e0277187b7, 0x18765564cd99a68d, 0xcbc9466e58fee3ce, 0xab0200f58b01d137,
	0x93f5f5799a932462, 0x9e0082df0ba9e4b0, 0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7,
	0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee, 0xa129ca6149be45e5,
	0x3f2acc7f57c29bdb, 0x699ae9f52cbe4794, 0x4bc1b3f0968dd39c, 0xbb6dc91da77961bd,
	0xbed65cf21aa2ee98, 0xd0f2cbb02e3b67c7, 0x93536795e3a33e88, 0xa80c038ccd5ccec8,
	0xb8ad50c6f649af94, 0xbce192de8a85b8ea, 0x17d835b85bbb15f3, 0x2f2e6163076bcfad,
	0xde4daaaca71dc9a5, 0xa6a2506687956571, 0xad87a3535c49ef28, 0x32d892fad841c342,
	0x7127512f72f27cce, 0xa7f32346f95978e3, 0x12e0b01abb051238, 0x15e034d40fa197ae,
	0x314dffbe0815a3b4, 0x027990f029623981, 0xcadcd4e59ef40c4d, 0x9abfd8766a33735c,
	0x0e3ea96b5304a7d0, 0xad0c42d6fc585992, 0x187306c89bc215a9, 0xd4a60abcf3792b95,
	0xf935451de4f21df2, 0xa9538f0419755787, 0xdb9acddff56ca510, 0xd06c98cd5c0975eb,
	0xe612a3cb9ecba951, 0xc766e62cfcadaf96, 0xee64435a9752fe72, 0xa192d576b245165a,
	0x0a8787bf8ecb74b2, 0x81b3e73d20b49b6f, 0x7fa8220ba3b2ecea, 0x245731c13ca42499,
	0xb78dbfaf3a8d83bd, 0xea1ad565322a1a0b, 0x60e61c23a3795013, 0x6606d7e446282b93,
	0x6ca4ecb15c5f91e1, 0x9f626da15c9625f3, 0xe51b38608ef25f57, 0x958a324ceb064572,
};

static void siphash_table(struct kunit *test)
{
	const siphash_key_t key = { { 0x0706050403020100, 0x0f0e0d0c0b0a0908 } };
	u8 data[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sip); i++) {
		data[i] = i;
		KUNIT_EXPECT_EQ_MSG(test, siphash(data, i, &key), sip[i], "%u bytes", i);
	}
}

static void compare(struct kunit *test)
{
	u8 a[16] = {}, b[16] = {};
	unsigned int i;

	KUNIT_EXPECT_FALSE(test, crypto_memneq(a, b, sizeof(a)));
	for (i = 0; i < 8 * sizeof(a); i++) {
		a[i / 8] = 1 << i % 8;
		KUNIT_EXPECT_TRUE(test, crypto_memneq(a, b, sizeof(a)));
		a[i / 8] = 0;
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(x25519_products),
	KUNIT_CASE(x25519_iterated),
	KUNIT_CASE(x25519_agreed),
	KUNIT_CASE(x25519_any_private),
	KUNIT_CASE(x25519_low_order),
	KUNIT_CASE(blake2s_abc),
	KUNIT_CASE(blake2s_keyed),
	KUNIT_CASE(blake2s_selftest),
	KUNIT_CASE(siphash_table),
	KUNIT_CASE(compare),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_crypto",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: cryptographic primitives");
MODULE_LICENSE("GPL");
