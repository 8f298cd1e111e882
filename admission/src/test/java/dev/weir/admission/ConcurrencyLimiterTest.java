package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ConcurrencyLimiterTest {
  private final ConcurrencyLimiter controller = new ConcurrencyLimiter(2, Duration.ofSeconds(3));

  private Permit admitted() {
    AdmissionDecision answer = controller.tryAcquire();
    assertThat(answer).isInstanceOf(AdmissionDecision.Admitted.class);
    return ((AdmissionDecision.Admitted) answer).permit();
  }

  @Test
  void rejectBeyondTheLimitWithTheMeasuredCount() {
    admitted();
    Permit second = admitted();
    assertThat(controller.tryAcquire())
        .isEqualTo(
            new AdmissionDecision.Rejected(
                "too_many_requests_in_flight",
                2,
                2,
                "admission.max-in-flight",
                Duration.ofSeconds(3)));
    assertThat(controller.inFlight()).isEqualTo(2);
    assertThat(controller.rejected()).isEqualTo(1);
    second.close();
    admitted();
  }

  @Test
  void releaseAPermitOnlyOnce() {
    Permit first = admitted();
    admitted();
    first.close();
    first.close();
    assertThat(controller.inFlight()).isEqualTo(1);
  }

  @Test
  void readsZeroAtRestAfterManyThreads() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(Thread.ofPlatform().start(this::askAndClose));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(controller.inFlight()).isZero();
  }

  /**
   * A rejected request must not take a place, even for a moment, because another one might need it.
   */
  @Test
  void neverCountRejectedRequests() throws Exception {
    admitted();
    admitted();
    AtomicInteger highestCount = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(Thread.ofPlatform().start(() -> acquireRepeatedly(highestCount)));
    }
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        highestCount.accumulateAndGet(controller.inFlight(), Math::max);
      }
    }
    assertThat(highestCount).hasValue(2);
    assertThat(controller.rejected()).isEqualTo(400_000);
  }

  private void acquireRepeatedly(AtomicInteger highestCount) {
    for (int n = 0; n < 100_000; n++) {
      if (controller.tryAcquire() instanceof AdmissionDecision.Rejected rejected) {
        highestCount.accumulateAndGet((int) rejected.inFlight(), Math::max);
      }
    }
  }

  private void askAndClose() {
    for (int n = 0; n < 2000; n++) {
      if (controller.tryAcquire() instanceof AdmissionDecision.Admitted(Permit permit)) {
        permit.close();
      }
    }
  }
}
