package dev.weir.routing.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MintedIdGeneratorTest {
  private static final RoutingHashLayout SPACE = new RoutingHashLayout(960, 8);

  /** Murmur3, 32 bits, seed 0, of the characters as UTF-16LE, as published by its author. */
  private static int murmur3(String id) {
    int hash = 0;
    for (int i = 0; i < id.length(); i += 2) {
      int block = (id.charAt(i) | (id.charAt(i + 1) << 16)) * 0xcc9e2d51;
      hash ^= Integer.rotateLeft(block, 15) * 0x1b873593;
      hash = Integer.rotateLeft(hash, 13) * 5 + 0xe6546b64;
    }
    hash ^= 2 * id.length();
    hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
    hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
    return hash ^ (hash >>> 16);
  }

  @Test
  void belongToTheirShard() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 20_000; i++) {
      int perShard = 1 + random.nextInt(8);
      RoutingHashLayout space =
          new RoutingHashLayout(perShard * (1 + random.nextInt(1024)), perShard);
      MintedIdGenerator ids = new MintedIdGenerator(() -> 1_800_000_000_000L, random.nextLong());
      int shard = random.nextInt(space.numberOfShards());
      String id = ids.next(space, shard);
      assertThat(id).matches("[A-Za-z0-9_-]{20}");
      assertThat(space.shardOf(murmur3(id))).isEqualTo(shard);
    }
  }

  @Test
  void stayUniqueWhenTheSequenceWrapsWithinAMillisecond() {
    MintedIdGenerator ids = new MintedIdGenerator(() -> 1_800_000_000_000L, 7);
    RoutingHashLayout whole = new RoutingHashLayout(1, 1); // the first suffix always fits
    String first = ids.next(whole, 0);
    for (int i = 1; i < 1 << 24; i++) {
      ids.next(whole, 0);
    }
    String sameInSequence = ids.next(whole, 0);
    assertThat(sameInSequence.substring(0, 3)).isEqualTo(first.substring(0, 3));
    assertThat(sameInSequence.substring(0, 18)).isNotEqualTo(first.substring(0, 18));
  }

  @Test
  void areUniqueWhereTimeGoesBack() {
    AtomicLong clock = new AtomicLong(1_800_000_000_000L);
    MintedIdGenerator ids = new MintedIdGenerator(() -> clock.addAndGet(-1), 7);
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 100_000; i++) {
      assertThat(seen.add(ids.next(SPACE, i % 120).substring(0, 18))).isTrue();
    }
  }

  @Test
  void areUniqueAmongThreads() {
    MintedIdGenerator ids = new MintedIdGenerator(() -> 1_800_000_000_000L, 7);
    Set<String> seen = ConcurrentHashMap.newKeySet();
    boolean unique =
        IntStream.range(0, 100_000).parallel().allMatch(i -> seen.add(ids.next(SPACE, i % 120)));
    assertThat(unique).isTrue();
  }

  @Test
  void shareTheirBeginnings() {
    MintedIdGenerator ids = new MintedIdGenerator(System::currentTimeMillis, 7);
    Set<String> beginnings = new HashSet<>();
    for (int i = 0; i < 50_000; i++) {
      beginnings.add(ids.next(SPACE, 3).substring(0, 6));
    }
    assertThat(beginnings)
        .as("sequence's lowest byte, and what seldom changes")
        .hasSizeLessThan(1200);
  }

  @Test
  void refuseAShardThatIsNotThere() {
    MintedIdGenerator ids = new MintedIdGenerator(() -> 1, 7);
    assertThatThrownBy(() -> ids.next(SPACE, 120)).hasMessage("got shard 120 (expected: 0 to 119)");
    assertThatThrownBy(() -> new RoutingHashLayout(10, 3)).hasMessageContaining("a multiple");
  }
}
