package dev.weir.admission.queue;

import dev.weir.config.policy.AutoDuration;
import dev.weir.config.policy.QueuePolicy;
import java.time.Duration;

/** Policies that differ from the standard in one setting. */
final class QueuePolicies {
  private QueuePolicies() {}

  static QueuePolicy fixed(int limit) {
    return with(AutoDuration.AUTO, 1000, AutoDuration.AUTO, limit, limit);
  }

  static QueuePolicy fixed(int limit, int waiting, Duration wait) {
    return with(new AutoDuration(wait), waiting, AutoDuration.AUTO, limit, limit);
  }

  static QueuePolicy little(Duration target, int least, int most) {
    return with(AutoDuration.AUTO, 1000, new AutoDuration(target), least, most);
  }

  static QueuePolicy off() {
    QueuePolicy usual = QueuePolicy.defaults();
    return new QueuePolicy(
        false, usual.maxWait(), usual.maxWaiting(), AutoDuration.AUTO, usual.window(), 1, 1);
  }

  private static QueuePolicy with(
      AutoDuration wait, int waiting, AutoDuration target, int least, int most) {
    QueuePolicy.Window frame = new QueuePolicy.Window(2000, Duration.ofSeconds(1));
    return new QueuePolicy(true, wait, waiting, target, frame, least, most);
  }
}
