package dev.weir.node.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class WorkTimerTest {
  private final ServiceTimes times = new ServiceTimes();
  private long now = Long.MAX_VALUE - 40; // the clock may overflow
  private final WorkTimer timer = new WorkTimer(() -> now, times);

  @Test
  void averageWithAWeightOfThreeTenths() {
    assertThat(times.nanos(WorkKind.WRITE)).isEqualTo(-1);
    times.add(WorkKind.WRITE, 1000);
    assertThat(times.nanos(WorkKind.WRITE)).isEqualTo(1000);
    times.add(WorkKind.WRITE, 2000);
    assertThat(times.nanos(WorkKind.WRITE)).isEqualTo(1300);
    times.add(WorkKind.WRITE, 0);
    assertThat(times.nanos(WorkKind.WRITE)).isEqualTo(910);
    assertThat(times.nanos(WorkKind.GET)).isEqualTo(-1);
  }

  @Test
  void staysKnownAfterWorkThatTookNoTime() {
    times.add(WorkKind.GET, 0);
    times.add(WorkKind.GET, -5);
    assertThat(times.nanos(WorkKind.GET)).isEqualTo(1);
  }

  @Test
  void measureASearchFromItsStartOnTheThread() {
    timer.startSearch();
    now += 50;
    timer.endSearch(WorkKind.QUERY, true);
    assertThat(times.nanos(WorkKind.QUERY)).isEqualTo(50);
    assertThat(times.nanos(WorkKind.FETCH)).isEqualTo(-1);
  }

  @Test
  void countNoSearchThatFailedOrBeganOnAnotherThread() throws Exception {
    timer.startSearch();
    timer.endSearch(WorkKind.QUERY, false);
    timer.endSearch(WorkKind.QUERY, true);
    timer.startSearch();
    onAnotherThread(() -> timer.endSearch(WorkKind.QUERY, true));
    assertThat(times.nanos(WorkKind.QUERY)).isEqualTo(-1);
  }

  /** A search whose end was missed leaves its start behind. */
  @Test
  void measureEachSearchFromItsOwnStart() {
    timer.startSearch();
    now += 1_000_000;
    timer.startSearch();
    now += 50;
    timer.endSearch(WorkKind.FETCH, true);
    assertThat(times.nanos(WorkKind.FETCH)).isEqualTo(50);
  }

  @Test
  void measureAReadFromItsArrivalOnAnIdleThread() {
    long arrived = now;
    now += 60;
    timer.endRead(arrived, true);
    assertThat(times.nanos(WorkKind.GET)).isEqualTo(60);
  }

  @Test
  void leaveOutTheTimeThatAReadWaitedForItsThread() {
    long both = now;
    now += 60;
    timer.endRead(both, true);
    now += 60;
    timer.endRead(both, true);
    assertThat(times.nanos(WorkKind.GET)).isEqualTo(60);
  }

  @Test
  void leaveOutTheTimeOfAReadBeforeThatDoesNotCount() {
    long both = now;
    now += 1000;
    timer.endRead(both, false);
    assertThat(times.nanos(WorkKind.GET)).isEqualTo(-1);
    now += 60;
    timer.endRead(both, true);
    assertThat(times.nanos(WorkKind.GET)).isEqualTo(60);
  }

  @Test
  void knowEachThreadApart() throws Exception {
    long both = now;
    now += 60;
    timer.endRead(both, true);
    onAnotherThread(() -> timer.endRead(both, true));
    assertThat(times.nanos(WorkKind.GET)).isEqualTo(60);
  }

  private static void onAnotherThread(Runnable task)
      throws InterruptedException, ExecutionException {
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      other.submit(task).get();
    }
  }
}
