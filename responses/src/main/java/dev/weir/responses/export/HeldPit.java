package dev.weir.responses.export;

import dev.weir.rest.StreamedRequest;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
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
final class HeldPit {
  private static final Logger LOG = LoggerFactory.getLogger(HeldPit.class);

  /** How often it is touched within the time that nodes keep it. */
  private static final int TOUCHES = 3;

  private final ExportAsk ask;
  private final ExportDesk desk;
  private final StreamedRequest request;
  private final boolean own;
  private @Nullable PointInTime pit;
  private @Nullable RequestContext opening;
  private Runnable callOff = () -> {};
  private long startMillis;
  private boolean stopped;

  HeldPit(ExportAsk ask, ExportDesk desk, StreamedRequest request) {
    this.ask = ask;
    this.desk = desk;
    this.request = request;
    Cursor cursor = ask.cursor();
    this.own = cursor == null ? ask.search().source().pointInTimeBuilder() == null : cursor.own();
  }

  /** Whether it was opened for the export, or for the one that is gone on with. */
  boolean own() {
    return own;
  }

  /** When it was opened. */
  long startMillis() {
    return startMillis;
  }

  /** Opens it, unless there is one. */
  void open(Consumer<PointInTime> opened, Consumer<Exception> failed) {
    Cursor cursor = ask.cursor();
    SearchRequest search = ask.search();
    startMillis = search.getOrCreateAbsoluteStartMillis();
    if (cursor != null) {
      use(cursor.pit(), opened, failed);
    } else if (!own) {
      use(search.source().pointInTimeBuilder().getId(), opened, failed);
    } else {
      CreatePitRequest create = new CreatePitRequest(ask.keepAlive(), false, search.indices());
      create.setIndicesOptions(search.indicesOptions());
      create.setRouting(search.routing());
      create.setPreference(search.preference());
      RequestContext context = request.part();
      opening = context;
      request.execute(
          CreatePitAction.INSTANCE,
          create,
          context,
          new ActionListener<CreatePitResponse>() {
            @Override
            public void onResponse(CreatePitResponse created) {
              opening = null;
              context.end();
              use(created.getId(), opened, failed);
            }

            @Override
            public void onFailure(Exception failure) {
              opening = null;
              context.end();
              failed.accept(failure);
            }
          });
    }
  }

  private void use(String id, Consumer<PointInTime> opened, Consumer<Exception> failed) {
    PointInTime read;
    try {
      read = new PointInTime(id, desk.writeables());
    } catch (IllegalArgumentException | PassThroughException e) {
      failed.accept(e);
      return;
    }
    pit = read;
    if (stopped) {
      giveUp(false);
      return;
    }
    touchLater();
    opened.accept(read);
  }

  private void touchLater() {
    Duration pause = Duration.ofMillis(Math.max(1, ask.keepAlive().millis() / TOUCHES));
    callOff =
        desk.timer()
            .after(
                pause,
                request.home(),
                () -> {
                  if (!stopped) {
                    touch(request.part());
                    touchLater();
                  }
                });
  }

  private void touch(RequestContext context) {
    PointInTime kept = pit;
    if (kept != null) {
      aside(SearchAction.INSTANCE, Searches.touch(kept.id(), ask.keepAlive()), context);
    } else {
      context.end();
    }
  }

  /** Carries out what nobody waits for. */
  private <Q extends ActionRequest, R extends ActionResponse> void aside(
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
    stopped = true;
    callOff.run();
    if (opening != null) {
      opening.cancel("nobody waits for the point in time any more");
    }
  }

  /** It was read to its end. */
  void close() {
    PointInTime read = pit;
    pit = null;
    if (own && read != null) {
      aside(DeletePitAction.INSTANCE, new DeletePitRequest(read.id()), request.aside());
    }
  }

  /**
   * It was not read to its end: it is kept where its client may come again.
   *
   * @param told whether the client has a cursor of it
   */
  void giveUp(boolean told) {
    if ((told && ask.cursors()) || ask.cursor() != null) {
      leave();
    } else {
      close();
    }
  }

  /** Leaves it to who comes again; nodes keep it for its time from now on. */
  void leave() {
    touch(request.aside());
    pit = null;
  }
}
