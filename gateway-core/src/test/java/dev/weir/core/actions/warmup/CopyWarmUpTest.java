package dev.weir.core.actions.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;

/** When the warm-up of a copy ends. */
class CopyWarmUpTest {
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long END = 100 * SECOND_NANOS;
  private static final RememberedSearch FIRST = SearchMemoryTest.search("1");
  private static final RememberedSearch SECOND = SearchMemoryTest.search("2");

  private final CopyWarmUp warmUp =
      new CopyWarmUp(
          new NewCopies.NewCopy(new ShardId(new Index("i", "u"), 0), "node", "copy"),
          List.of(FIRST, SECOND),
          END);

  private long now;

  /** Plays a round of two searches, which ends a second after the one before. */
  private void round(long nanos) {
    now += SECOND_NANOS;
    assertThat(warmUp.poll()).isEqualTo(FIRST);
    assertThat(warmUp.poll()).isEqualTo(SECOND);
    assertThat(warmUp.poll()).as("before the round has ended").isNull();
    warmUp.onResponse(now, nanos);
    assertThat(warmUp.poll()).as("before the round has ended").isNull();
    warmUp.onResponse(now, nanos);
  }

  @Test
  void endWhenRoundsHaveGotHardlyFasterForSomeTime() {
    round(1); // from the request cache
    for (int nanos : new int[] {100, 50, 48, 47, 51, 46, 20}) {
      round(nanos);
      assertThat(warmUp.ended(0)).as("after a round of %d", nanos).isNull();
    }
    for (int i = 1; i < CopyWarmUp.MIN_STEADY_TIME.toSeconds(); i++) {
      round(19);
      assertThat(warmUp.ended(0)).isNull();
    }
    round(19);
    assertThat(warmUp.ended(0)).isEqualTo(WarmUpEnd.STEADY);
    assertThat(warmUp.poll()).isNull();
  }

  @Test
  void useTheRequestCacheInTheFirstRound() {
    assertThat(warmUp.usesRequestCache()).isTrue();
    round(1);
    assertThat(warmUp.usesRequestCache()).isFalse();
    round(1);
    assertThat(warmUp.usesRequestCache()).isFalse();
  }

  @Test
  void endAtItsTime() {
    round(100);
    assertThat(warmUp.ended(END - 1)).isNull();
    assertThat(warmUp.ended(END)).isEqualTo(WarmUpEnd.MAX_DURATION);
    assertThat(warmUp.poll()).isNull();
  }

  @Test
  void leaveOutWhatFails() {
    round(100);
    assertThat(warmUp.poll()).isEqualTo(FIRST);
    assertThat(warmUp.poll()).isEqualTo(SECOND);
    warmUp.onFailure(now, FIRST);
    warmUp.onResponse(now, 100);
    for (int i = 0; i <= CopyWarmUp.MIN_STEADY_TIME.toSeconds(); i++) {
      now += SECOND_NANOS;
      assertThat(warmUp.ended(0)).as("rounds are compared with those of the same length").isNull();
      assertThat(warmUp.poll()).isEqualTo(SECOND);
      assertThat(warmUp.poll()).as("the first one is left out").isNull();
      warmUp.onResponse(now, 100);
    }
    assertThat(warmUp.ended(0)).isEqualTo(WarmUpEnd.STEADY);
  }

  @Test
  void endWhenAllFail() {
    warmUp.poll();
    warmUp.poll();
    warmUp.onFailure(now, SECOND);
    assertThat(warmUp.ended(0)).isNull();
    warmUp.onFailure(now, FIRST);
    assertThat(warmUp.ended(0)).isEqualTo(WarmUpEnd.FAILED);
  }

  @Test
  void endForOneReason() {
    warmUp.end(WarmUpEnd.MOVED);
    warmUp.end(WarmUpEnd.OVERLOADED);
    assertThat(warmUp.ended(2 * END)).isEqualTo(WarmUpEnd.MOVED);
  }
}
