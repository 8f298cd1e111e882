package dev.weir.routing.write;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Generates document ids that belong to a chosen shard, so that a read by id finds the document
 * without a routing value. Like OpenSearch's own ids they are 15 bytes as 20 characters of URL-safe
 * base64, with the parts in the same order ({@code TimeBasedUUIDGenerator}), which helps the
 * compression of id dictionaries:
 *
 * <pre>
 *   8 bits   sequence, lowest byte        16 bits  time, ms, lower two bytes, with
 *   8 bits   sequence, highest byte        8 bits  the sequence's middle byte between them
 *  32 bits   time, ms, upper four bytes   12 bits  chosen so that the id's hash is the shard's
 *  36 bits   this process
 * </pre>
 *
 * <p>The first 108 bits alone are unique: the sequence counts up, and the time never decreases and
 * advances by one when the sequence starts over. The generator tries values of the last two
 * characters until the hash (32-bit Murmur3, seed 0, of the characters as UTF-16LE) maps to the
 * shard. The hash consumes two characters in each step, so that an attempt costs one step and the
 * hash's finalization. Safe on any thread.
 */
public final class MintedIdGenerator {
  /** The length of an id in characters. */
  public static final int LENGTH = 20;

  private static final byte[] ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
          .getBytes(StandardCharsets.ISO_8859_1);
  private static final int SUFFIXES = 1 << 12;
  private static final long IDENTITY = (1L << 36) - 1;
  private static final int SEQUENCE = 0xffffff;
  private static final long MOVED = 1L << 31;

  /** The summand of Murmur3 for each suffix, before it is mixed in. */
  private static final int[] STEPS = steps();

  private final LongSupplier millis;
  private final long identity;
  private final AtomicInteger sequence;
  private final AtomicLong lastMillis = new AtomicLong();

  /**
   * Creates a generator.
   *
   * @param millis the wall clock, milliseconds since 1970
   * @param seed random bits; the lower 36 identify the process, the next 24 start the sequence
   */
  public MintedIdGenerator(LongSupplier millis, long seed) {
    this.millis = millis;
    this.identity = seed & IDENTITY;
    this.sequence = new AtomicInteger((int) (seed >>> 36) & SEQUENCE);
  }

  /** Returns a new id for a shard. */
  public String next(RoutingHashLayout space, int shard) {
    if (shard < 0 || shard >= space.numberOfShards()) {
      throw new IllegalArgumentException(
          "got shard " + shard + " (expected: 0 to " + (space.numberOfShards() - 1) + ")");
    }
    byte[] id = new byte[LENGTH];
    int ending;
    do {
      writePrefix(id);
      ending = findSuffix(hashPrefix(id), space, shard);
    } while (ending < 0); // rare: only with more than a thousand shards
    id[LENGTH - 2] = ALPHABET[ending >>> 6];
    id[LENGTH - 1] = ALPHABET[ending & 63];
    return new String(id, StandardCharsets.ISO_8859_1);
  }

  private void writePrefix(byte[] id) {
    int count = sequence.incrementAndGet() & SEQUENCE;
    long now = millis.getAsLong();
    long time =
        lastMillis.accumulateAndGet(
            now, count == 0 ? (last, read) -> Math.max(last, read) + 1 : Math::max);
    long first =
        ((count & 0xffL) << 46)
            | ((count >>> 16 & 0xffL) << 38)
            | ((time >>> 16 & 0xffff_ffffL) << 6)
            | (identity >>> 30);
    long second =
        ((identity & 0x3fff_ffffL) << 24)
            | ((time >>> 8 & 0xff) << 16)
            | ((count >>> 8 & 0xffL) << 8)
            | (time & 0xff);
    encode(first, id, 0);
    encode(second, id, 9);
  }

  /** Writes 54 bits as nine characters. */
  private static void encode(long bits, byte[] id, int from) {
    for (int i = 0; i < 9; i++) {
      id[from + i] = ALPHABET[(int) (bits >>> (48 - 6 * i)) & 63];
    }
  }

  private static int hashPrefix(byte[] id) {
    int hash = 0;
    for (int i = 0; i < LENGTH - 2; i += 2) {
      hash = mixed(hash, step(id[i], id[i + 1]));
    }
    return hash;
  }

  /**
   * Returns the first suffix that maps the whole hash to the shard; -1 if there is none.
   *
   * <p>A hundred shards take a hundred attempts with a remainder each. Two multiplications replace
   * its division (Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019); they are
   * exact for unsigned 32 bits: the hash and the slots are shifted by 2^31.
   */
  private static int findSuffix(int hash, RoutingHashLayout space, int shard) {
    int slots = space.routingNumShards();
    int each = space.routingFactor();
    long inverse = Long.divideUnsigned(-1L, slots) + 1;
    int from = (int) ((MOVED + (long) shard * each) % slots);
    for (int ending = 0; ending < SUFFIXES; ending++) {
      long moved = (finished(mixed(hash, STEPS[ending])) ^ Integer.MIN_VALUE) & 0xffff_ffffL;
      int slot = (int) Math.unsignedMultiplyHigh(inverse * moved, slots) - from;
      if (slot + (slot >> 31 & slots) < each) {
        return ending;
      }
    }
    return -1;
  }

  private static int[] steps() {
    int[] steps = new int[SUFFIXES];
    for (int ending = 0; ending < SUFFIXES; ending++) {
      steps[ending] = step(ALPHABET[ending >>> 6], ALPHABET[ending & 63]);
    }
    return steps;
  }

  private static int step(byte first, byte second) {
    return Integer.rotateLeft((first | (second << 16)) * 0xcc9e2d51, 15) * 0x1b873593;
  }

  private static int mixed(int hash, int step) {
    return Integer.rotateLeft(hash ^ step, 13) * 5 + 0xe6546b64;
  }

  private static int finished(int hash) {
    int mixed = hash ^ (2 * LENGTH);
    mixed = (mixed ^ (mixed >>> 16)) * 0x85ebca6b;
    mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2ae35;
    return mixed ^ (mixed >>> 16);
  }
}
