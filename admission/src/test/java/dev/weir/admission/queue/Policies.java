package dev.weir.admission.queue;

import dev.weir.config.policy.AutoTime;
import dev.weir.config.policy.QueuePolicy;
import java.time.Duration;

/** Policies that differ from the standard in one thing. */
final class Policies {
  private Policies() {}

  static QueuePolicy fixed(int limit) {
    return with(AutoTime.AUTO, 1000, AutoTime.AUTO, limit, limit);
  }

  static QueuePolicy fixed(int limit, int waiting, Duration wait) {
    return with(new AutoTime(wait), waiting, AutoTime.AUTO, limit, limit);
  }

  static QueuePolicy little(Duration target, int least, int most) {
    return with(AutoTime.AUTO, 1000, new AutoTime(target), least, most);
  }

  static QueuePolicy off() {
    QueuePolicy usual = QueuePolicy.standard();
    return new QueuePolicy(
        false, usual.maxQueueWait(), usual.waiting(), AutoTime.AUTO, usual.frame(), 1, 1);
  }

  private static QueuePolicy with(
      AutoTime wait, int waiting, AutoTime target, int least, int most) {
    QueuePolicy.Frame frame = new QueuePolicy.Frame(2000, Duration.ofSeconds(1));
    return new QueuePolicy(true, wait, waiting, target, frame, least, most);
  }
}
