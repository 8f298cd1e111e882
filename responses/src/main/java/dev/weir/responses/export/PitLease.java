package dev.weir.responses.export;

import dev.weir.core.actions.InternalPitRequest;
import dev.weir.model.Deadline;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.rest.StreamingResponseSession;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.action.search.CreatePitAction;
import org.opensearch.action.search.CreatePitRequest;
import org.opensearch.action.search.CreatePitResponse;
import org.opensearch.action.search.DeletePitAction;
import org.opensearch.action.search.DeletePitRequest;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The point in time of an export: its own, which it creates and deletes, or the client's. Renews
 * its keep-alive while the export reads it. Confined to the request's event loop.
 */
final class PitLease {
  private static final Logger LOG = LoggerFactory.getLogger(PitLease.class);

  /** The number of renewals within one keep-alive. */
  private static final int REFRESHES_PER_KEEP_ALIVE = 3;

  private final ExportSpec spec;
  private final ExportService service;
  private final StreamingResponseSession request;
  private final boolean isOwned;
  private @Nullable PointInTime pit;
  private @Nullable RequestContext openContext;
  private Runnable cancelRefresh = () -> {};
  private long startMillis;
  private boolean isRefreshing;
  private boolean isStopped;

  PitLease(ExportSpec spec, ExportService service, StreamingResponseSession request) {
    this.spec = spec;
    this.service = service;
    this.request = request;
    ExportCursor cursor = spec.cursor();
    this.isOwned =
        cursor == null ? spec.search().source().pointInTimeBuilder() == null : cursor.isPitOwned();
  }

  /**
   * Returns true if the gateway created it for this export or for the one that this one resumes.
   */
  boolean isOwned() {
    return isOwned;
  }

  /** Returns the creation time in milliseconds since 1970. */
  long startMillis() {
    return startMillis;
  }

  /** Creates the point in time unless the request has one. */
  void open(Consumer<PointInTime> opened, Consumer<Exception> failed) {
    ExportCursor cursor = spec.cursor();
    SearchRequest search = spec.search();
    startMillis = search.getOrCreateAbsoluteStartMillis();
    if (cursor != null) {
      onPitId(cursor.pitId(), opened, failed);
    } else if (!isOwned) {
      onPitId(search.source().pointInTimeBuilder().getId(), opened, failed);
    } else {
      CreatePitRequest create = new InternalPitRequest(spec.keepAlive(), search.indices());
      create.setIndicesOptions(search.indicesOptions());
      create.setRouting(search.routing());
      create.setPreference(search.preference());
      RequestContext context = request.createPartContext();
      openContext = context;
      request.execute(
          CreatePitAction.INSTANCE,
          create,
          context,
          new ActionListener<CreatePitResponse>() {
            @Override
            public void onResponse(CreatePitResponse created) {
              openContext = null;
              context.end();
              onPitId(created.getId(), opened, failed);
            }

            @Override
            public void onFailure(Exception failure) {
              openContext = null;
              context.end();
              failed.accept(failure);
            }
          });
    }
  }

  private void onPitId(String id, Consumer<PointInTime> opened, Consumer<Exception> failed) {
    PointInTime read;
    try {
      read = new PointInTime(id, service.namedWriteables());
    } catch (IllegalArgumentException | PassThroughException e) {
      failed.accept(e);
      return;
    }
    pit = read;
    if (isStopped) {
      abandon(false);
      return;
    }
    scheduleRefresh();
    opened.accept(read);
  }

  private Duration refreshInterval() {
    return Duration.ofMillis(Math.max(1, spec.keepAlive().millis() / REFRESHES_PER_KEEP_ALIVE));
  }

  private void scheduleRefresh() {
    cancelRefresh =
        service
            .timer()
            .schedule(
                refreshInterval(),
                request.eventLoop(),
                () -> {
                  if (!isStopped) {
                    refreshUnlessRefreshing();
                    scheduleRefresh();
                  }
                });
  }

  /**
   * Slow nodes get one renewal at a time. It ends when the next one is due, so that the other nodes
   * get that in time.
   */
  private void refreshUnlessRefreshing() {
    if (isRefreshing) {
      return;
    }
    isRefreshing = true;
    RequestContext context = request.createPartContext();
    context.limitDeadline(
        Deadline.after(request.nanoTime(), refreshInterval(), "the keep_alive of an export"));
    refresh(
        context,
        () -> {
          isRefreshing = false;
          context.end();
        });
  }

  private void refresh(RequestContext context, Runnable onEnd) {
    PointInTime current = pit;
    if (current != null) {
      executeDetached(
          SearchAction.INSTANCE,
          ExportSearchFactory.keepAliveSearch(current.id(), spec.keepAlive()),
          context,
          onEnd);
    } else {
      onEnd.run();
    }
  }

  /** Executes an action and ignores its result. */
  private <Q extends ActionRequest, R extends ActionResponse> void executeDetached(
      ActionType<R> action, Q what, RequestContext context, Runnable onEnd) {
    request.execute(
        action,
        what,
        context,
        ActionListener.runAfter(
            ActionListener.wrap(
                response -> {},
                failure -> LOG.debug("an export's point in time: {}", action.name(), failure)),
            onEnd));
  }

  /** Stops the renewals: nothing reads the point in time any longer. */
  void stop() {
    isStopped = true;
    cancelRefresh.run();
    if (openContext != null) {
      openContext.cancel("the export stopped before its point in time was open");
    }
  }

  /** Deletes an owned point in time after it was read to the end. */
  void close() {
    PointInTime read = pit;
    pit = null;
    if (isOwned && read != null) {
      RequestContext context = request.createDetachedContext();
      executeDetached(
          DeletePitAction.INSTANCE, new DeletePitRequest(read.id()), context, context::end);
    }
  }

  /**
   * Handles an export that was not read to the end: the point in time stays open if the client may
   * resume.
   *
   * @param cursorSent the client may have received a cursor
   */
  void abandon(boolean cursorSent) {
    if ((cursorSent && spec.sendsCursors()) || spec.cursor() != null) {
      release();
    } else {
      close();
    }
  }

  /** Renews the keep-alive for the last time, for a client that may resume. */
  void release() {
    RequestContext context = request.createDetachedContext();
    refresh(context, context::end);
    pit = null;
  }
}
