package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.DualWriteCall.Answered;
import dev.weir.bluegreen.dual.DualWriteCall.Failed;
import dev.weir.bluegreen.dual.DualWriteCall.Outcome;
import dev.weir.bluegreen.dual.RepairEntry.Cause;
import dev.weir.model.Deadline;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.ForwardedBulkAction;
import dev.weir.rest.release.ReleasedRequestException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.get.MultiGetAction;
import org.opensearch.action.get.MultiGetItemResponse;
import org.opensearch.action.get.MultiGetResponse;
import org.opensearch.action.support.WriteRequest;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.rest.RestStatus;

/**
 * Repeats the writes of one request on the other cluster, one call at a time, and records missed
 * writes in the repair log. Continues when the client disconnects. Confined to the request's event
 * loop.
 *
 * <pre>
 *   start --> send known documents --> read updated documents --> send them --+
 *                                             ^-----more to read--------------+
 *         --> compare version conflicts --> log missed writes --> done
 *   any step --timeout--> log missed writes
 * </pre>
 */
final class DualWriteSession {
  /** The maximum of documents read and written in one call; no memory account covers them. */
  private static final int MAX_READ_BATCH = 64;

  /** The maximum of versions compared in one call. */
  private static final int MAX_COMPARE_BATCH = 512;

  private static final String DEADLINE_SOURCE = "dual-writes.timeout";

  private final DualWriteServices services;
  private final DualWriteTarget target;
  private final RequestContext clientRequest;
  private final TargetResponsiveness responsiveness;
  private final WriteRequest.RefreshPolicy refresh;
  private final Queue<PendingWrite> toSend = new ArrayDeque<>();
  private final Queue<PendingWrite> toRead = new ArrayDeque<>();
  private final Queue<PendingWrite> toCompare = new ArrayDeque<>();
  private List<PendingWrite> writes = List.of();
  private Consumer<Boolean> onDone = isLogged -> {};
  private Runnable stopTimer = () -> {};
  private Deadline deadline = Deadline.NONE;
  private @Nullable DualWriteCall<?> currentCall;
  private @Nullable DualWriteCall<?> readCall;
  private boolean timedOut;
  private boolean ended;
  private boolean stepping;
  private boolean stepDone;

  DualWriteSession(
      DualWriteServices services,
      DualWriteTarget target,
      RequestContext clientRequest,
      WriteRequest.RefreshPolicy refresh) {
    this.services = services;
    this.target = target;
    this.clientRequest = clientRequest;
    this.responsiveness = new TargetResponsiveness(services.clocks().nanoClock());
    // A slow refresh must not count as a failed node.
    this.refresh =
        refresh == WriteRequest.RefreshPolicy.WAIT_UNTIL
            ? WriteRequest.RefreshPolicy.NONE
            : refresh;
  }

  DualWriteTarget target() {
    return target;
  }

  /** Returns the context of the request in the first cluster. */
  RequestContext clientRequest() {
    return clientRequest;
  }

  /**
   * Starts the session.
   *
   * @param all the writes that the first cluster executed or may have executed
   * @param onSessionDone called once: with true when every write is in the other cluster or in the
   *     log, with false if the log does not take them
   */
  void start(List<PendingWrite> all, Consumer<Boolean> onSessionDone) {
    writes = all;
    onDone = onSessionDone;
    for (PendingWrite write : all) {
      if (write.outcome() == null) {
        (write.hasContent() ? toSend : toRead).add(write);
      }
    }
    if (toSend.isEmpty() && toRead.isEmpty()) {
      finish();
      return;
    }
    long now = services.clocks().nanoClock().getAsLong();
    ActionExecutor executor = target.executor();
    if (executor == null) {
      failAll(DualWriteOutcome.UNREACHABLE, target.unavailableReason());
    } else if (!services.circuitBreaker(target.targetCluster()).shouldTry()) {
      failAll(
          DualWriteOutcome.UNREACHABLE,
          Cause.ofGateway("not-tried", "the last requests to the cluster got no answer in time"));
    } else {
      deadline =
          Deadline.after(now, target.timeout(), DEADLINE_SOURCE)
              .earlierOf(clientRequest.deadline());
      stopTimer =
          services
              .clocks()
              .delays()
              .scheduleCancellable(
                  Duration.ofNanos(Math.max(0, deadline.remainingNanos(now))),
                  clientRequest.eventLoop(),
                  () -> clientRequest.run(this::onTimeout));
      next(executor);
    }
  }

  private void failAll(DualWriteOutcome how, Cause reason) {
    for (PendingWrite write : writes) {
      if (write.outcome() == null) {
        write.fail(how, reason);
      }
    }
    finish();
  }

  /**
   * Takes the next step. One that is done before its call returns, as all reads are once the first
   * cluster is gone, is followed by a loop: calls within calls would overflow the stack.
   */
  private void next(ActionExecutor executor) {
    stepDone = true;
    if (stepping) {
      return;
    }
    stepping = true;
    try {
      while (stepDone) {
        stepDone = false;
        step(executor);
      }
    } finally {
      stepping = false;
    }
  }

  private void step(ActionExecutor executor) {
    if (ended) {
      return;
    }
    if (timedOut) {
      finish();
    } else if (!toSend.isEmpty()) {
      send(executor, poll(toSend, toSend.size()), false);
    } else if (!toRead.isEmpty()) {
      read(executor, poll(toRead, MAX_READ_BATCH));
    } else if (!toCompare.isEmpty()) {
      compare(executor, poll(toCompare, MAX_COMPARE_BATCH));
    } else {
      finish();
    }
  }

  private static List<PendingWrite> poll(Queue<PendingWrite> from, int maxWrites) {
    List<PendingWrite> taken = new ArrayList<>(Math.min(maxWrites, from.size()));
    while (taken.size() < maxWrites && !from.isEmpty()) {
      taken.add(from.remove());
    }
    return taken;
  }

  private <R extends ActionResponse> DualWriteCall<R> newCall(
      DualWriteCall.OutcomeHandler<R> handler) {
    DualWriteCall<R> call =
        new DualWriteCall<>(
            clientRequest,
            deadline,
            (done, outcome) -> {
              currentCall = null;
              responsiveness.stopWaiting();
              handler.onOutcome(done, outcome);
            });
    currentCall = call;
    return call;
  }

  // Writing to the other cluster.

  private void send(ActionExecutor executor, List<PendingWrite> batch, boolean byNode) {
    BulkRequest bulk = new BulkRequest();
    batch.forEach(write -> bulk.add(write.toRequest()));
    bulk.setRefreshPolicy(refresh);
    bulk.timeout(TimeValue.timeValueMillis(Math.max(1, target.timeout().toMillis())));
    DualWriteCall<BulkResponse> call =
        newCall((done, outcome) -> onWriteOutcome(executor, batch, byNode, done, outcome));
    responsiveness.onSend();
    call.start(
        executor,
        target.requests(),
        byNode ? ForwardedBulkAction.INSTANCE : BulkAction.INSTANCE,
        bulk);
  }

  private void onWriteOutcome(
      ActionExecutor executor,
      List<PendingWrite> batch,
      boolean byNode,
      DualWriteCall<BulkResponse> call,
      Outcome<BulkResponse> outcome) {
    switch (outcome) {
      case Answered<BulkResponse>(BulkResponse response) -> onBulkResponse(batch, response);
      case Failed<BulkResponse>(Exception reason) -> {
        if (reason instanceof PassThroughException && !byNode && !timedOut) {
          call.end();
          send(executor, batch, true);
          return;
        }
        batch.forEach(write -> recordFailure(write, reason));
      }
    }
    call.end();
    next(executor);
  }

  private void onBulkResponse(List<PendingWrite> batch, BulkResponse response) {
    BulkItemResponse[] items = response.getItems();
    for (int i = 0; i < items.length; i++) {
      PendingWrite write = batch.get(i);
      BulkItemResponse.Failure failure = items[i].getFailure();
      if (failure == null) {
        responsiveness.onProgress();
        write.succeed(DualWriteOutcome.WRITTEN);
      } else if (failure.getStatus() == RestStatus.CONFLICT) {
        responsiveness.onProgress();
        if (write.isCreate()) {
          write.succeed(DualWriteOutcome.SUPERSEDED);
        } else {
          toCompare.add(write);
        }
      } else if (write.requiresCreate(failure)) {
        write.requireCreate();
        toSend.add(write);
      } else {
        recordFailure(write, failure.getCause());
      }
    }
  }

  private void recordFailure(PendingWrite write, Exception failure) {
    Cause reason = Cause.of(failure);
    if (reason.status() == RestStatus.REQUEST_TIMEOUT.getStatus()) {
      write.fail(DualWriteOutcome.TIMED_OUT, reason);
    } else {
      write.fail(DualWriteOutcome.FAILED, reason);
    }
  }

  // Reading from the first cluster.

  private void read(ActionExecutor executor, List<PendingWrite> batch) {
    getDocuments(
        executor,
        batch,
        true,
        (write, found) -> {
          boolean exists = found.isExists();
          // an unknown write may be a deletion, whose version nobody knows
          boolean mayBeElsewhere =
              !write.document().locationCertain() || write.op() == RepairEntry.Op.UNKNOWN;
          if (mayBeElsewhere && (!exists || found.getVersion() < write.version())) {
            write.fail(
                DualWriteOutcome.FAILED,
                Cause.ofGateway("not-found", "it is gone, or a node stored it elsewhere"));
            return;
          }
          if (!exists) {
            write.markDeleted(); // a later deletion has a higher version
          } else if (found.isSourceEmpty()) {
            write.fail(
                DualWriteOutcome.FAILED,
                Cause.ofGateway("no-source", "the first cluster keeps no _source of it"));
            return;
          } else {
            BytesReference source = found.getSourceAsBytesRef();
            write.setFoundRouting(DocumentReader.routingOf(found));
            write.setContent(source, DocumentReader.detectMediaType(source), found.getVersion());
          }
          toSend.add(write);
        });
  }

  /**
   * A conflict is harmless if the first cluster now has a newer version of the document or has
   * deleted it: then a later write caused it and is repeated itself. Otherwise the other cluster
   * has a former document of the same id with a higher version.
   */
  private void compare(ActionExecutor executor, List<PendingWrite> batch) {
    getDocuments(
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
          if (!write.document().locationCertain() && !found.isExists() && !write.isDelete()) {
            write.fail(
                DualWriteOutcome.FAILED, Cause.ofGateway("not-found", "it can't be compared"));
          } else if (differs) {
            write.fail(
                DualWriteOutcome.FAILED,
                new Cause(
                    RestStatus.CONFLICT.getStatus(),
                    "version_conflict",
                    "the document has a higher version than the first cluster gave it"));
          } else {
            write.succeed(DualWriteOutcome.SUPERSEDED);
          }
        });
  }

  private void getDocuments(
      ActionExecutor executor,
      List<PendingWrite> batch,
      boolean source,
      DocumentReader.ResultHandler found) {
    endReading();
    if (services.sourceRequests().isUnresponsive()) {
      batch.forEach(write -> recordFailure(write, ReleasedRequestException.forRead()));
      next(executor);
      return;
    }
    DualWriteCall<MultiGetResponse> call =
        newCall((done, outcome) -> {
          switch (outcome) {
            case Answered<MultiGetResponse>(MultiGetResponse response) ->
                onDocuments(batch, response, found);
            case Failed<MultiGetResponse>(Exception reason) ->
                batch.forEach(write -> recordFailure(write, reason));
          }
          next(executor); // ends the call once the documents are written
        });
    readCall = call;
    call.start(
        services.documents(),
        services.sourceRequests(),
        MultiGetAction.INSTANCE,
        DocumentReader.toRequest(batch, source));
  }

  private void onDocuments(
      List<PendingWrite> batch, MultiGetResponse response, DocumentReader.ResultHandler found) {
    MultiGetItemResponse[] items = response.getResponses();
    for (int i = 0; i < items.length; i++) {
      if (items[i].isFailed()) {
        recordFailure(batch.get(i), items[i].getFailure().getFailure());
      } else {
        found.onResult(batch.get(i), items[i].getResponse());
      }
    }
  }

  /** Releases the received frames, which held the documents until they were written. */
  private void endReading() {
    DualWriteCall<?> before = readCall;
    readCall = null;
    if (before != null) {
      before.end();
    }
  }

  // Completion and timeouts.

  /** The timeout has passed: expires the call in flight, which may still report executed writes. */
  private void onTimeout() {
    if (ended) {
      return;
    }
    timedOut = true;
    clientRequest.resources().retainBody();
    DualWriteCall<?> call = currentCall;
    if (call != null) {
      call.expire("no answer within " + target.timeout().toMillis() + "ms");
    }
    if (!ended) {
      finish();
    }
  }

  private void finish() {
    ended = true;
    responsiveness.stopWaiting();
    stopTimer.run();
    endReading();
    responsiveness.report(
        services.circuitBreaker(target.targetCluster()), target, deadline, hasTimedOutWrite());
    List<RepairEntry> missed = new ArrayList<>(0);
    for (PendingWrite write : writes) {
      if (write.outcome() == null) {
        write.fail(
            DualWriteOutcome.TIMED_OUT,
            Cause.ofGateway(
                "timeout",
                "not known to be there "
                    + TimeUnit.NANOSECONDS.toMillis(deadline.timeout().toNanos())
                    + "ms after the first cluster's answer"));
      }
      countOutcome(write);
      if (write.cause() != null) {
        missed.add(write.toRepairEntry(services.clocks().now(), target));
      }
    }
    if (missed.isEmpty()) {
      onDone.accept(true);
    } else {
      services.repairLogAppender().append(target, missed, clientRequest::runLater, onDone);
    }
  }

  private boolean hasTimedOutWrite() {
    for (PendingWrite write : writes) {
      if (write.outcome() == null || write.outcome() == DualWriteOutcome.TIMED_OUT) {
        return true;
      }
    }
    return false;
  }

  private void countOutcome(PendingWrite write) {
    DualWriteOutcome outcome = write.outcome();
    Cause reason = write.cause();
    if (outcome == DualWriteOutcome.FAILED && reason != null) {
      services.counts().failed(target.targetCluster(), reason.type());
    } else if (outcome != null) {
      services.counts().count(target.targetCluster(), outcome);
    }
  }
}
