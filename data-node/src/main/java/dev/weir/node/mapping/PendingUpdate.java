package dev.weir.node.mapping;

import java.util.function.Supplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.admin.indices.mapping.put.PutMappingRequest;
import org.opensearch.action.support.ActionFilterChain;
import org.opensearch.action.support.clustermanager.AcknowledgedResponse;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.action.ActionListener;
import org.opensearch.tasks.CancellableTask;
import org.opensearch.tasks.Task;
import org.opensearch.threadpool.Scheduler;

/**
 * One automatic mapping update that was asked for, and has not been answered. Its timer belongs to
 * the thread that may answer it.
 */
final class PendingUpdate {
  private static final Logger LOG = LogManager.getLogger(PendingUpdate.class);

  private final Task task;
  private final PutMappingRequest request;
  private final ActionListener<AcknowledgedResponse> listener;
  private final ActionFilterChain<PutMappingRequest, AcknowledgedResponse> chain;
  private final Supplier<ThreadContext.StoredContext> context;
  private final long askedNanos;
  private volatile Scheduler.@Nullable ScheduledCancellable timer;

  /**
   * Keeps an update.
   *
   * @param listener answers in the thread context of the update
   * @param context restores the thread context of the update
   * @param askedNanos when it was asked for, in {@link System#nanoTime}
   */
  PendingUpdate(
      Task task,
      PutMappingRequest request,
      ActionListener<AcknowledgedResponse> listener,
      ActionFilterChain<PutMappingRequest, AcknowledgedResponse> chain,
      Supplier<ThreadContext.StoredContext> context,
      long askedNanos) {
    this.task = task;
    this.request = request;
    this.listener = listener;
    this.chain = chain;
    this.context = context;
    this.askedNanos = askedNanos;
  }

  /** Returns how long it may wait in all; negative for any time. */
  TimeValue timeout() {
    return request.clusterManagerNodeTimeout();
  }

  /** Returns whether its own task was cancelled. */
  boolean isCancelled() {
    return task instanceof CancellableTask cancellable && cancellable.isCancelled();
  }

  void setTimer(Scheduler.ScheduledCancellable started) {
    timer = started;
  }

  /** Stops its timer, as it is about to be answered or sent. */
  void stopTimer() {
    Scheduler.ScheduledCancellable started = timer;
    if (started != null) {
      started.cancel();
    }
  }

  /** Answers it with success. A listener that throws gets the failure, as from OpenSearch. */
  void succeed(AcknowledgedResponse response) {
    stopTimer();
    try {
      listener.onResponse(response);
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  /** Answers it with a failure. A listener that throws does not keep answers from others. */
  void fail(Exception failure) {
    stopTimer();
    try {
      listener.onFailure(failure);
    } catch (RuntimeException e) {
      LOG.warn("can't answer a mapping update", e);
    }
  }

  /** Sends it, in its thread context, with the time that it has left. */
  void send(String action, long nowNanos, ActionListener<AcknowledgedResponse> answers) {
    if (timeout().nanos() > 0 && nowNanos > askedNanos) {
      request.clusterManagerNodeTimeout(
          TimeValue.timeValueNanos(Math.max(1, timeout().nanos() - (nowNanos - askedNanos))));
    }
    ThreadContext.StoredContext before = context.get();
    try {
      chain.proceed(task, action, request, answers);
    } finally {
      before.close();
    }
  }
}
