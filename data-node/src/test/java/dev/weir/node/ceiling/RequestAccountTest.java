package dev.weir.node.ceiling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;

final class RequestAccountTest {
  private final NodeBreaker node = new NodeBreaker();
  private final RequestAccount account =
      new RequestAccount(new RequestCeiling(100, 2, ""), "client-1", node);

  /** A node's request breaker with a limit of 1000 bytes. */
  private static final class NodeBreaker extends NoopCircuitBreaker {
    private long limit = 1000;
    private long used;

    NodeBreaker() {
      super(CircuitBreaker.REQUEST);
    }

    @Override
    public double addEstimateBytesAndMaybeBreak(long bytes, String label) {
      if (used + bytes > limit) {
        throw new CircuitBreakingException("the node is full", Durability.TRANSIENT);
      }
      return addWithoutBreaking(bytes);
    }

    @Override
    public long addWithoutBreaking(long bytes) {
      used += bytes;
      return used;
    }
  }

  @AfterEach
  void holdTheSameAsTheNodeSays() {
    assertThat(account.getUsed()).isEqualTo(node.used);
  }

  @Test
  void refuseWhatExceedsTheCeilingWithABill() {
    account.addEstimateBytesAndMaybeBreak(90, "first");
    account.addBucket();

    assertThatThrownBy(() -> account.addEstimateBytesAndMaybeBreak(20, "<agg [a]>"))
        .isInstanceOfSatisfying(
            CircuitBreakingException.class,
            refusal -> {
              assertThat(refusal.getBytesWanted()).isEqualTo(110);
              assertThat(refusal.getByteLimit()).isEqualTo(100);
              assertThat(refusal.getDurability()).isEqualTo(CircuitBreaker.Durability.PERMANENT);
              assertThat(refusal.getMetadata(RequestAccount.EXCEEDED)).containsExactly("bytes");
              assertThat(refusal.getMetadata(RequestAccount.BUCKETS)).containsExactly("1");
              assertThat(refusal.getMetadata(RequestAccount.OPAQUE_ID)).containsExactly("client-1");
            })
        .hasMessageContaining("<agg [a]>")
        .hasMessageContaining("X-Opaque-Id [client-1]");
    assertThat(account.getUsed()).isEqualTo(90);
    account.addEstimateBytesAndMaybeBreak(10, "what still fits");
  }

  @Test
  void reserveNothingThatTheNodeRefuses() {
    node.limit = 50;
    account.addEstimateBytesAndMaybeBreak(40, "first");

    assertThatThrownBy(() -> account.addEstimateBytesAndMaybeBreak(20, "second"))
        .hasMessage("the node is full");
    assertThat(account.getUsed()).isEqualTo(40);
  }

  @Test
  void letMemoryGoAlsoAboveTheCeiling() {
    account.addWithoutBreaking(150);
    account.addEstimateBytesAndMaybeBreak(-20, "less");
    account.addWithoutBreaking(-130);

    assertThat(account.getUsed()).isZero();
  }

  @Test
  void countBucketsUntilTheirShardIsDone() {
    account.addBucket();
    account.addBucket();

    assertThatThrownBy(account::addBucket)
        .isInstanceOf(CircuitBreakingException.class)
        .hasMessageContaining("[3] buckets (expected: at most [2 buckets])");
    account.removeBuckets(3);
    account.addBucket();
    assertThat(account.buckets()).isEqualTo(1);
  }
}
