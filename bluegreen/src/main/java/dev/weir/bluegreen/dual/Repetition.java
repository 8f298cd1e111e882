package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.RepairEntry.Why;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.NodeBulkAction;
import dev.weir.model.Deadline;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.get.MultiGetItemResponse;
import org.opensearch.action.get.MultiGetResponse;
import org.opensearch.action.support.WriteRequest;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.rest.RestStatus;

/**
 * The writes of one request on their way to the other cluster, one call at a time, and what did not
 * get there on its way to the repair log.
 *
 * <pre>
 *   start --> Sending what is known --> Reading what updates left --> Sending that --+
 *                                            ^------------ more of them -------------+
 *         --> Comparing what the other cluster has newer --> Logging what is missed --> over
 *   any of them --the time has passed--> Logging
 * </pre>
 *
 * Confined to the request's home. The client's going away ends nothing.
 */
final class Repetition {
  /** Documents that are read, and written, at once: what they take nobody has paid for. */
  private static final int MOST_READ = 64;

  /** Versions that are asked for at once. */
  private static final int MOST_COMPARED = 512;

  /** So long the disk is waited for. */
  static final Duration DISK = Duration.ofSeconds(30);

  private static final String SET_BY = "dual-writes.timeout";

  private final DualWriting dual;
  private final DualTarget target;
  private final RequestContext whole;
  private final WriteRequest.RefreshPolicy refresh;
  private final Queue<PendingWrite> toSend = new ArrayDeque<>();
  private final Queue<PendingWrite> toRead = new ArrayDeque<>();
  private final Queue<PendingWrite> toCompare = new ArrayDeque<>();
  private List<PendingWrite> writes = List.of();
  private Runnable then = () -> {};
  private Runnable stopTimer = () -> {};
  private Deadline deadline = Deadline.NONE;
  private @Nullable RequestContext underWay;
  private @Nullable RequestContext reading;
  private long sentAtNanos;
  private long waitedNanos;
  private boolean sending;
  private boolean answered;
  private boolean late;
  private boolean ended;

  Repetition(
      DualWriting dual,
      DualTarget target,
      RequestContext whole,
      WriteRequest.RefreshPolicy refresh) {
    this.dual = dual;
    this.target = target;
    this.whole = whole;
    // a node refreshes at its leisure, which says nothing of whether it is well
    this.refresh =
        refresh == WriteRequest.RefreshPolicy.WAIT_UNTIL
            ? WriteRequest.RefreshPolicy.NONE
            : refresh;
  }

  DualTarget target() {
    return target;
  }

  /** What accompanies the request in the first cluster. */
  RequestContext whole() {
    return whole;
  }

  /**
   * Starts.
   *
   * @param all what the first cluster has done, or may have done
   * @param whenOver runs once, when all of it is in the other cluster or in the log
   */
  void start(List<PendingWrite> all, Runnable whenOver) {
    writes = all;
    then = whenOver;
    for (PendingWrite write : all) {
      if (write.outcome() == null) {
        (write.isKnown() ? toSend : toRead).add(write);
      }
    }
    if (toSend.isEmpty() && toRead.isEmpty()) {
      end();
      return;
    }
    long now = dual.means().nanoClock().getAsLong();
    ActionExecutor executor = target.executor();
    if (executor == null) {
      missAll(Outcome.UNREACHABLE, target.barred());
    } else if (!dual.patience(target.to()).tries(now)) {
      missAll(Outcome.UNREACHABLE, Why.own("not-tried", "it did not answer in time lately"));
    } else {
      deadline = Deadline.after(now, target.timeout(), SET_BY).earlier(whole.deadline());
      stopTimer =
          dual.means()
              .delays()
              .unlessCalledOff(
                  Duration.ofNanos(Math.max(0, deadline.leftNanos(now))),
                  whole.home(),
                  () -> whole.run(this::late));
      next(executor);
    }
  }

  private void missAll(Outcome how, Why why) {
    for (PendingWrite write : writes) {
      if (write.outcome() == null) {
        write.missed(how, why);
      }
    }
    end();
  }

  private void next(ActionExecutor executor) {
    if (ended) {
      return;
    }
    if (late) {
      end();
    } else if (!toSend.isEmpty()) {
      send(executor, take(toSend, toSend.size()), false);
    } else if (!toRead.isEmpty()) {
      read(executor, take(toRead, MOST_READ));
    } else if (!toCompare.isEmpty()) {
      compare(executor, take(toCompare, MOST_COMPARED));
    } else {
      end();
    }
  }

  private static List<PendingWrite> take(Queue<PendingWrite> from, int most) {
    List<PendingWrite> taken = new ArrayList<>(Math.min(most, from.size()));
    while (taken.size() < most && !from.isEmpty()) {
      taken.add(from.remove());
    }
    return taken;
  }

  /** What accompanies a call: of the request it has what it pays with, and its headers. */
  private RequestContext call() {
    RequestContext call =
        new RequestContext(
            whole.home(), whole::run, whole.taskId(), whole.transportHeaders(), whole.tenant());
    call.goesBy(whole.policy());
    call.limit(deadline);
    call.paidBy(whole.memory());
    underWay = call;
    return call;
  }

  // Writing to the other cluster.

  private void send(ActionExecutor executor, List<PendingWrite> batch, boolean byNode) {
    BulkRequest bulk = new BulkRequest();
    batch.forEach(write -> bulk.add(write.request()));
    bulk.setRefreshPolicy(refresh);
    bulk.timeout(TimeValue.timeValueMillis(Math.max(1, target.timeout().toMillis())));
    RequestContext call = call();
    sending = true;
    sentAtNanos = dual.means().nanoClock().getAsLong();
    ActionListener<BulkResponse> outcome =
        once(
            call,
            response -> sent(batch, response),
            failure -> {
              if (failure instanceof PassThroughException && !byNode && !late) {
                call.end();
                send(executor, batch, true);
                return false;
              }
              batch.forEach(write -> missed(write, failure));
              return true;
            },
            executor);
    try {
      executor.execute(byNode ? NodeBulkAction.INSTANCE : BulkAction.INSTANCE, bulk, call, outcome);
    } catch (RuntimeException failure) {
      outcome.onFailure(failure);
    }
  }

  private void sent(List<PendingWrite> batch, BulkResponse response) {
    BulkItemResponse[] items = response.getItems();
    for (int i = 0; i < items.length; i++) {
      PendingWrite write = batch.get(i);
      BulkItemResponse.Failure failure = items[i].getFailure();
      if (failure == null) {
        answered = true;
        write.done(Outcome.WRITTEN);
      } else if (failure.getStatus() == RestStatus.CONFLICT) {
        answered = true;
        if (write.creates()) {
          write.done(Outcome.NEWER);
        } else {
          toCompare.add(write);
        }
      } else if (write.wantsCreate(failure)) {
        write.mustCreate();
        toSend.add(write);
      } else {
        missed(write, failure.getCause());
      }
    }
  }

  private void missed(PendingWrite write, Exception failure) {
    Why why = Why.of(failure);
    if (why.status() == RestStatus.REQUEST_TIMEOUT.getStatus()) {
      write.missed(Outcome.TIMED_OUT, why);
    } else {
      write.missed(Outcome.FAILED, why);
    }
  }

  // Reading from the first cluster.

  private void read(ActionExecutor executor, List<PendingWrite> batch) {
    ask(
        executor,
        batch,
        true,
        (write, found) -> {
          boolean exists = found.isExists();
          if (!write.document().sure() && (!exists || found.getVersion() < write.version())) {
            write.missed(
                Outcome.FAILED,
                Why.own("not-found", "a node has directed it, perhaps by a routing of its own"));
            return;
          }
          if (!exists) {
            write.isGone(); // a delete that came later has a higher version
          } else if (found.isSourceEmpty()) {
            write.missed(
                Outcome.FAILED, Why.own("no-source", "the first cluster keeps no _source of it"));
            return;
          } else {
            BytesReference source = found.getSourceAsBytesRef();
            write.found(Reading.routing(found));
            write.becomes(source, Reading.type(source), found.getVersion());
          }
          toSend.add(write);
        });
  }

  /**
   * A conflict is well if the first cluster has the document newer by now, or has it no more: then
   * a later write caused it, and is repeated by itself. Else the other cluster has the document of
   * an earlier life, which counted further.
   */
  private void compare(ActionExecutor executor, List<PendingWrite> batch) {
    ask(
        executor,
        batch,
        false,
        (write, found) -> {
          boolean differs =
              switch (write.op()) {
                case DELETE -> !found.isExists();
                case INDEX, UPDATE, UNKNOWN ->
                    !write.isDelete() && found.isExists() && found.getVersion() == write.version();
              };
          if (!write.document().sure() && !found.isExists() && !write.isDelete()) {
            write.missed(Outcome.FAILED, Why.own("not-found", "it can't be compared"));
          } else if (differs) {
            write.missed(
                Outcome.FAILED,
                new Why(
                    RestStatus.CONFLICT.getStatus(),
                    "version_conflict",
                    "the document has a higher version than the first cluster gave it"));
          } else {
            write.done(Outcome.NEWER);
          }
        });
  }

  private void ask(
      ActionExecutor executor, List<PendingWrite> batch, boolean source, Reading.Found found) {
    endReading();
    RequestContext call = call();
    reading = call;
    ActionListener<MultiGetResponse> outcome =
        once(
            null,
            response -> {
              MultiGetItemResponse[] items = response.getResponses();
              for (int i = 0; i < items.length; i++) {
                if (items[i].isFailed()) {
                  missed(batch.get(i), items[i].getFailure().getFailure());
                } else {
                  found.of(batch.get(i), items[i].getResponse());
                }
              }
            },
            failure -> {
              batch.forEach(write -> missed(write, failure));
              return true;
            },
            executor);
    try {
      Reading.start(dual.documents(), batch, source, call, outcome);
    } catch (RuntimeException failure) {
      outcome.onFailure(failure);
    }
  }

  /** What was read lies in frames until it was written. */
  private void endReading() {
    RequestContext before = reading;
    reading = null;
    if (before != null) {
      before.end();
    }
  }

  // The end.

  /** What a failure leads to; says whether to go on. */
  private interface Failed {
    boolean with(Exception failure);
  }

  private interface Answered<R> {
    void with(R response);
  }

  /** Hears a call's outcome, unless the time has passed before. */
  private <R> ActionListener<R> once(
      @Nullable RequestContext ends, Answered<R> answer, Failed failed, ActionExecutor executor) {
    return new ActionListener<>() {
      private boolean heard;

      @Override
      public void onResponse(R response) {
        if (hears()) {
          answer.with(response);
          goOn();
        }
      }

      @Override
      public void onFailure(Exception failure) {
        if (hears() && failed.with(failure)) {
          goOn();
        }
      }

      private boolean hears() {
        if (heard || ended) {
          return false;
        }
        heard = true;
        underWay = null;
        waited();
        return true;
      }

      private void goOn() {
        if (ends != null) {
          ends.end();
        }
        next(executor);
      }
    };
  }

  /** The other cluster is waited for no more. */
  private void waited() {
    if (sending) {
      sending = false;
      waitedNanos += dual.means().nanoClock().getAsLong() - sentAtNanos;
    }
  }

  /** The time has passed: what is under way is told so, and may say what is done of it. */
  private void late() {
    if (ended) {
      return;
    }
    late = true;
    whole.keepBody();
    RequestContext call = underWay;
    if (call != null) {
      call.expire("no answer within " + target.timeout().toMillis() + "ms");
      call.end();
    }
    if (!ended) {
      end();
    }
  }

  private void end() {
    ended = true;
    waited();
    stopTimer.run();
    endReading();
    tellPatience();
    List<RepairEntry> missed = new ArrayList<>(0);
    for (PendingWrite write : writes) {
      if (write.outcome() == null) {
        write.missed(
            Outcome.TIMED_OUT,
            Why.own(
                "timeout",
                "not known to be there "
                    + TimeUnit.NANOSECONDS.toMillis(deadline.length().toNanos())
                    + "ms after the first cluster's answer"));
      }
      count(write);
      if (write.why() != null) {
        missed.add(write.entry(dual.means().now(), target));
      }
    }
    if (missed.isEmpty()) {
      then.run();
    } else {
      new LogWait(dual, target, whole, then).start(missed);
    }
  }

  private void tellPatience() {
    if (deadline.exists()) {
      Patience patience = dual.patience(target.to());
      if (answered) {
        patience.answered();
      } else if (hadItsTime() && writes.stream().anyMatch(Repetition::isLate)) {
        patience.inVain(dual.means().nanoClock().getAsLong());
      }
    }
  }

  /**
   * Whether nobody cut the time short: neither the client, nor the first cluster by its answers.
   */
  private boolean hadItsTime() {
    return waitedNanos >= target.timeout().toNanos() / 2
        && deadline.length().compareTo(target.timeout()) >= 0;
  }

  private static boolean isLate(PendingWrite write) {
    return write.outcome() == null || write.outcome() == Outcome.TIMED_OUT;
  }

  private void count(PendingWrite write) {
    Outcome outcome = write.outcome();
    Why why = write.why();
    if (outcome == Outcome.FAILED && why != null) {
      dual.counts().failed(target.to(), why.type());
    } else if (outcome != null) {
      dual.counts().count(target.to(), outcome);
    }
  }
}
