package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AdmissionControllerTest {
  private final AdmissionController controller = new AdmissionController(2, Duration.ofSeconds(3));

  private Permit admitted() {
    Admission answer = controller.ask();
    assertThat(answer).isInstanceOf(Admission.Admitted.class);
    return ((Admission.Admitted) answer).permit();
  }

  @Test
  void refusesTheOneTooManyAndSaysWhatWasMeasured() {
    admitted();
    Permit second = admitted();
    assertThat(controller.ask())
        .isEqualTo(
            new Admission.Refused("too_many_requests_in_flight", 2, 2, Duration.ofSeconds(3)));
    assertThat(controller.inFlight()).isEqualTo(2);
    assertThat(controller.refused()).isEqualTo(1);
    second.close();
    admitted();
  }

  @Test
  void aPermitClosedTwiceCountsOnce() {
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

  private void askAndClose() {
    for (int n = 0; n < 2000; n++) {
      if (controller.ask() instanceof Admission.Admitted(Permit permit)) {
        permit.close();
      }
    }
  }
}
