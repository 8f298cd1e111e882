package dev.weir.bluegreen.dual;

import dev.weir.model.RequestContext;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request's wait until what is missed is on disk, or can't be. Confined to the request's home.
 */
final class LogWait {
  private static final Logger LOG = LoggerFactory.getLogger(LogWait.class);

  private final DualWriting dual;
  private final DualTarget target;
  private final RequestContext whole;
  private final Runnable then;
  private Runnable stopTimer = () -> {};
  private boolean over;

  LogWait(DualWriting dual, DualTarget target, RequestContext whole, Runnable then) {
    this.dual = dual;
    this.target = target;
    this.whole = whole;
    this.then = then;
  }

  void start(List<RepairEntry> missed) {
    stopTimer =
        dual.means()
            .delays()
            .unlessCalledOff(
                Repetition.DISK,
                whole.home(),
                () ->
                    whole.run(() -> {
                      LOG.error("the repair log has not answered for {}", Repetition.DISK);
                      end(missed.size(), false);
                    }));
    target.log().append(missed, failure -> whole.later(() -> end(missed.size(), isKept(failure))));
  }

  private static boolean isKept(@Nullable Exception failure) {
    return failure == null;
  }

  private void end(int entries, boolean kept) {
    if (over) {
      return;
    }
    over = true;
    stopTimer.run();
    if (kept) {
      dual.counts().logged(target.to(), entries);
    } else {
      dual.counts().unlogged(target.to(), entries);
    }
    then.run();
  }
}
