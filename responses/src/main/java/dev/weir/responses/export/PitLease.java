package dev.weir.responses.export;

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
 * The point in time that an export reads: its own one, which it opens and deletes, or the client's;
 * nodes are told to keep it for as long as that is read. Confined to the request's home.
 */
final class PitLease {
  private static final Logger LOG = LoggerFactory.getLogger(PitLease.class);

  /** How often it is touched within the time that nodes keep it. */
  private static final int REFRESHES_PER_KEEP_ALIVE = 3;

  private final ExportSpec spec;
  private final ExportService service;
  private final StreamingResponseSession request;
  private final boolean isOwned;
  private @Nullable PointInTime pit;
  private @Nullable RequestContext openContext;
  private Runnable cancelRefresh = () -> {};
  private long startMillis;
  private boolean isStopped;

  PitLease(ExportSpec ask, ExportService desk, StreamingResponseSession request) {
    this.spec = ask;
    this.service = desk;
    this.request = request;
    ExportCursor cursor = ask.parseCursor();
    this.isOwned =
        cursor == null ? ask.search().source().pointInTimeBuilder() == null : cursor.isPitOwned();
  }

  /** Whether it was opened for the export, or for the one that is gone on with. */
  boolean isOwned() {
    return isOwned;
  }

  /** When it was opened. */
  long startMillis() {
    return startMillis;
  }

  /** Opens it, unless there is one. */
  void open(Consumer<PointInTime> opened, Consumer<Exception> failed) {
    ExportCursor cursor = spec.parseCursor();
    SearchRequest search = spec.search();
    startMillis = search.getOrCreateAbsoluteStartMillis();
    if (cursor != null) {
      onPitId(cursor.pitId(), opened, failed);
    } else if (!isOwned) {
      onPitId(search.source().pointInTimeBuilder().getId(), opened, failed);
    } else {
      CreatePitRequest create = new CreatePitRequest(spec.keepAlive(), false, search.indices());
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

  private void scheduleRefresh() {
    Duration pause =
        Duration.ofMillis(Math.max(1, spec.keepAlive().millis() / REFRESHES_PER_KEEP_ALIVE));
    cancelRefresh =
        service
            .timer()
            .schedule(
                pause,
                request.eventLoop(),
                () -> {
                  if (!isStopped) {
                    refresh(request.createPartContext());
                    scheduleRefresh();
                  }
                });
  }

  private void refresh(RequestContext context) {
    PointInTime kept = pit;
    if (kept != null) {
      executeDetached(
          SearchAction.INSTANCE,
          ExportSearchFactory.keepAliveSearch(kept.id(), spec.keepAlive()),
          context);
    } else {
      context.end();
    }
  }

  /** Carries out what nobody waits for. */
  private <Q extends ActionRequest, R extends ActionResponse> void executeDetached(
      ActionType<R> action, Q what, RequestContext context) {
    request.execute(
        action,
        what,
        context,
        ActionListener.runAfter(
            ActionListener.wrap(
                response -> {},
                failure -> LOG.debug("an export's point in time: {}", action.name(), failure)),
            context::end));
  }

  /** From now on it is not read. */
  void stop() {
    isStopped = true;
    cancelRefresh.run();
    if (openContext != null) {
      openContext.cancel("nobody waits for the point in time any more");
    }
  }

  /** It was read to its end. */
  void close() {
    PointInTime read = pit;
    pit = null;
    if (isOwned && read != null) {
      executeDetached(
          DeletePitAction.INSTANCE,
          new DeletePitRequest(read.id()),
          request.createDetachedContext());
    }
  }

  /**
   * It was not read to its end: it is kept where its client may come again.
   *
   * @param told whether the client has a cursor of it
   */
  void abandon(boolean told) {
    if ((told && spec.sendsCursors()) || spec.parseCursor() != null) {
      release();
    } else {
      close();
    }
  }

  /** Leaves it to who comes again; nodes keep it for its time from now on. */
  void release() {
    refresh(request.createDetachedContext());
    pit = null;
  }
}
