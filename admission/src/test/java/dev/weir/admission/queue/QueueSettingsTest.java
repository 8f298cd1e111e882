package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.AutoDuration;
import dev.weir.config.policy.QueuePolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A target response time is divided between the wait of a search and its calls. */
final class QueueSettingsTest {
  private static final long MILLI = 1_000_000;

  private static QueueSettings settings(long targetMillis, AutoDuration maxWait) {
    QueuePolicy usual = QueuePolicy.defaults();
    return QueueSettings.of(
        new QueuePolicy(
            true,
            maxWait,
            usual.maxWaiting(),
            new AutoDuration(Duration.ofMillis(targetMillis)),
            usual.window(),
            2,
            1000));
  }

  @Test
  void letASearchWaitForATenthOfTheTarget() {
    QueueSettings settings = settings(500, AutoDuration.AUTO);
    assertThat(settings.targetResponseNanos()).isEqualTo(450 * MILLI);
    assertThat(settings.forThreadPool(NodeThreadPool.SEARCH).maxWaitNanos()).isEqualTo(50 * MILLI);
  }

  @Test
  void letGetsAndWritesWaitAsWithoutATarget() {
    QueueSettings settings = settings(500, AutoDuration.AUTO);
    assertThat(settings.forThreadPool(NodeThreadPool.GET).maxWaitNanos()).isZero();
    assertThat(settings.forThreadPool(NodeThreadPool.WRITE).maxWaitNanos()).isZero();
  }

  @Test
  void takeNoMoreThanATenthFromTheCallsWhereRequestsMayWaitLonger() {
    QueueSettings settings = settings(400, new AutoDuration(Duration.ofSeconds(30)));
    assertThat(settings.targetResponseNanos()).isEqualTo(360 * MILLI);
    assertThat(settings.forThreadPool(NodeThreadPool.SEARCH).maxWaitNanos())
        .isEqualTo(30_000 * MILLI);
  }

  @Test
  void leaveTheCallsWhatAShorterWaitDoesNotTake() {
    QueueSettings settings = settings(400, new AutoDuration(Duration.ofMillis(10)));
    assertThat(settings.targetResponseNanos()).isEqualTo(390 * MILLI);
  }

  @Test
  void changeNothingWithoutATarget() {
    QueueSettings settings = QueueSettings.of(QueuePolicy.defaults());
    assertThat(settings.targetResponseNanos()).isZero();
    assertThat(settings.forThreadPool(NodeThreadPool.SEARCH)).isEqualTo(settings);
  }
}
