package dev.weir.node.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class ProcessSamplerTest {
  private static final long HALF_SECOND = 500_000_000;

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private long now = Long.MAX_VALUE - HALF_SECOND / 2; // the clock may overflow
  private int merges;
  private boolean stopping;
  private final ProcessSampler sampler =
      new ProcessSampler(
          () -> now,
          task -> {
            if (stopping) {
              throw new RejectedExecutionException("stopping");
            }
            tasks.add(task);
          },
          () -> merges);

  private void runTask() {
    tasks.remove().run();
  }

  @Test
  void measureElsewhereOnceInHalfASecond() {
    assertThat(sampler.load()).isEqualTo(ProcessLoad.UNKNOWN);
    assertThat(sampler.load()).isEqualTo(ProcessLoad.UNKNOWN);
    assertThat(tasks).hasSize(1);
    merges = 3;
    runTask();

    assertThat(sampler.load().merges()).isEqualTo(3);
    assertThat(tasks).isEmpty();

    now += HALF_SECOND;
    merges = 5;
    assertThat(sampler.load().merges()).isEqualTo(3);
    runTask();
    assertThat(sampler.load().merges()).isEqualTo(5);
    assertThat(tasks).isEmpty();
  }

  @Test
  void tryAgainAfterARejection() {
    stopping = true;
    assertThat(sampler.load()).isEqualTo(ProcessLoad.UNKNOWN);
    stopping = false;
    sampler.load();
    runTask();
    assertThat(sampler.load()).isNotEqualTo(ProcessLoad.UNKNOWN);
  }
}
