package dev.weir.responses.export;

import dev.weir.responses.columnar.ResponseHits;
import dev.weir.responses.columnar.TableStream;
import dev.weir.rest.ResponsePartOutputs;
import dev.weir.rest.StreamingResponseSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.search.SearchHit;

/**
 * One active export. Confined to the request's event loop.
 *
 * <pre>
 *   opening --> (measuring) --> reading --> all rows sent --> ended
 *      `-------------`-------------`---------^   failed: an error before the first page, an aborted
 *                                                body after it; disconnected: no further pages
 * </pre>
 *
 * The session requests a page while fewer than {@code targetConcurrency} pages are pending, and
 * fewer than twice as many are pending or not yet sent: nodes work at the client's pace.
 */
final class ExportSession {
  /** The number of hits per page that estimate the page's source bytes. */
  private static final int SAMPLE_ROWS = 100;

  private static final String PAGES_NOT_NEEDED = "the export needs no further pages";

  private final ExportSpec spec;
  private final ExportService service;
  private final StreamingResponseSession request;
  private final PitLease pit;
  private final ExportBodySource body;
  private final ClientStallDetector stallDetector;
  private final Set<PageSearch> pendingPages = new LinkedHashSet<>();
  private final int targetConcurrency;
  private @Nullable ReadState readState;
  private boolean hasStarted;
  private boolean isStopped;
  private boolean isPitReleased;
  private boolean isEnded;

  /** Closes or keeps the point in time after the client received the whole response. */
  private Runnable onEnd;

  /** The objects that read rows, once the point in time is open. */
  private record ReadState(
      PointInTime pit,
      ExportSearchFactory searchFactory,
      SliceQueue sliceQueue,
      TableStream table,
      PageSizeController pageSize) {}

  private long rows;
  private long remainingRows;

  /** The rows that pending pages requested. */
  private long reservedRows;

  ExportSession(ExportSpec spec, ExportService service, StreamingResponseSession request) {
    this.spec = spec;
    this.service = service;
    this.request = request;
    this.targetConcurrency =
        spec.isOrdered() ? 1 : spec.slices() > 0 ? spec.slices() : service.policy().defaultSlices();
    this.pit = new PitLease(spec, service, request);
    this.onEnd = pit::close;
    this.body =
        new ExportBodySource(
            () -> request.eventLoop().execute(this::loadNextPages), this::onComplete);
    this.stallDetector =
        new ClientStallDetector(service.timer(), request.eventLoop(), body, this::abandonClient);
    this.remainingRows = spec.maxRows();
    this.rows = spec.cursor() == null ? 0 : spec.cursor().rowsSent();
  }

  // Start.

  void start() {
    request.onStop(() -> stopUnanswered(ExportCounts.End.CLIENT_DISCONNECTED), this::onDefect);
    pit.open(this::onPitOpened, this::onFailure);
  }

  private void onPitOpened(PointInTime pit) {
    if (isStopped) {
      return;
    }
    long start = spec.cursor() == null ? this.pit.startMillis() : spec.cursor().startMillis();
    ExportSearchFactory searches = new ExportSearchFactory(spec, pit, start);
    if (spec.cursor() != null) {
      SliceQueue slices = new SliceQueue();
      for (ExportSlice.Position at : spec.cursor().positions()) {
        if (at.shard() < ExportSlice.ALL_SHARDS
            || at.shard() >= pit.shards()
            || (at.searchAfter() != null && at.searchAfter().length != searches.sortValueCount())) {
          onFailure(
              new IllegalArgumentException("got a cursor of other shards (expected: its own)"));
          return;
        }
        slices.add(new ExportSlice(at));
      }
      startReading(pit, searches, slices);
    } else if (spec.isOrdered() || pit.shards() == 0) {
      SliceQueue slices = new SliceQueue();
      if (pit.shards() > 0) {
        slices.add(
            new ExportSlice(
                new ExportSlice.Position(ExportSlice.ALL_SHARDS, null, ExportSlice.UNBOUNDED)));
      }
      startReading(pit, searches, slices);
    } else if (pit.shards() >= targetConcurrency || !searches.canMeasure()) {
      List<Long> unknown = new ArrayList<>();
      for (int shard = 0; shard < pit.shards(); shard++) {
        unknown.add(Long.MAX_VALUE);
      }
      startReading(pit, searches, SliceQueue.split(unknown, targetConcurrency, 1));
    } else {
      new ShardMeasurement(pit, searches).start();
    }
  }

  /** Finds the last document of each shard, so that shards can be split into several slices. */
  private final class ShardMeasurement {
    private final PointInTime pit;
    private final ExportSearchFactory searches;
    private final long[] lastDocs;
    private int remainingShards;

    ShardMeasurement(PointInTime pit, ExportSearchFactory searches) {
      this.pit = pit;
      this.searches = searches;
      this.lastDocs = new long[pit.shards()];
      this.remainingShards = pit.shards();
    }

    void start() {
      for (int shard = 0; shard < lastDocs.length; shard++) {
        measureShard(shard);
      }
    }

    private void measureShard(int shard) {
      sendSearch(
          new PageSearch.PageHandler() {
            @Override
            public SearchRequest createSearch() {
              return searches.lastDocSearch(shard);
            }

            @Override
            public void onResponse(SearchResponse response) {
              SearchHit[] hits = response.getHits().getHits();
              boolean whole = response.getFailedShards() == 0 && !response.isTimedOut();
              onMeasured(
                  shard,
                  !whole
                      ? Long.MAX_VALUE
                      : hits.length == 0 ? -1 : ((Number) hits[0].getSortValues()[0]).longValue());
            }

            @Override
            public void onRejected(boolean forMemory) {
              service.counts().recordRetry();
            }

            @Override
            public void onFailure(Exception failure) {
              onMeasured(shard, Long.MAX_VALUE); // the slice's pages report a lasting failure
            }
          });
    }

    private void onMeasured(int shard, long last) {
      lastDocs[shard] = last;
      if (--remainingShards == 0 && !isStopped) {
        List<Long> all = new ArrayList<>();
        for (long each : lastDocs) {
          all.add(each);
        }
        startReading(
            pit,
            searches,
            SliceQueue.split(all, targetConcurrency, ExportService.MIN_SLICE_DOCUMENTS));
      }
    }
  }

  private void sendSearch(PageSearch.PageHandler reader) {
    PageSearch page = new PageSearch(request, service.timer(), reader);
    pendingPages.add(page);
    page.send();
  }

  private void startReading(PointInTime pit, ExportSearchFactory searches, SliceQueue slices) {
    TableStream table;
    try {
      table =
          service
              .tables()
              .open(spec.format(), searches.source(), pit.indices(), spec.listColumns());
    } catch (IllegalArgumentException e) {
      onFailure(e);
      return;
    }
    PageSizeController size =
        new PageSizeController(
            service.policy().targetPageBytes().bytes(), service.maxRows(pit.indices()));
    readState = new ReadState(pit, searches, slices, table, size);
    pendingPages.clear();
    if (slices.isDone()) {
      try {
        startResponse(table);
      } catch (CircuitBreakingException tooLittleMemory) {
        onFailure(tooLittleMemory); // there is no page to retry
        return;
      }
    }
    loadNextPages();
  }

  // Pages.

  private void loadNextPages() {
    ReadState state = readState;
    if (state == null || isStopped) {
      return;
    }
    while (!isStopped
        && pendingPages.size() < targetConcurrency
        && pendingPages.size() + body.pendingCount() < 2 * targetConcurrency
        && reservedRows < remainingRows) {
      ExportSlice slice = state.sliceQueue.pollIdle();
      if (slice == null) {
        break;
      }
      loadPage(state, slice);
    }
    if (!isStopped && (remainingRows == 0 || state.sliceQueue.isDone())) {
      finishResponse(state);
    }
  }

  private void loadPage(ReadState state, ExportSlice slice) {
    PageLoad loading = new PageLoad(state, slice);
    PageSearch page = new PageSearch(request, service.timer(), loading);
    loading.page = page;
    pendingPages.add(page);
    page.send();
  }

  /** Loads one page of a slice. */
  private final class PageLoad implements PageSearch.PageHandler {
    private final ReadState readState;
    private final ExportSlice slice;
    private @Nullable PageSearch page;
    private int requestedRows;

    PageLoad(ReadState state, ExportSlice slice) {
      this.readState = state;
      this.slice = slice;
    }

    @Override
    public SearchRequest createSearch() {
      reservedRows -= requestedRows;
      long wantedRows =
          Math.max(1, Math.min(readState.pageSize.rows(), remainingRows - reservedRows));
      requestedRows = (int) Math.min(wantedRows, slice.maxRemainingRows());
      reservedRows += requestedRows;
      return readState.searchFactory.pageSearch(slice, requestedRows);
    }

    @Override
    public void onResponse(SearchResponse response) {
      if (response.isTimedOut() || response.getFailedShards() > 0) {
        ExportSession.this.onFailure(
            new IllegalStateException("got a part of a page (expected: all of it)"));
        return;
      }
      sendRows(ResponseHits.from(response));
      reservedRows -= requestedRows;
      pendingPages.remove(page);
      readState.sliceQueue.returnSlice(slice);
      loadNextPages();
    }

    private void sendRows(ResponseHits hits) {
      int own = slice.countOwn(hits);
      int count = (int) Math.min(own, remainingRows);
      ExportSlice.Position before = slice.position();
      slice.onPageSent(
          hits, count, count == own && (own < hits.count() || hits.count() < requestedRows));
      rows += count;
      remainingRows -= count;
      ResponsePartOutputs outputs = request.newPartOutputs();
      boolean done = false;
      try {
        startResponse(readState.table);
        long bytes = 0;
        if (count > 0) {
          List<BytesReference> part =
              readState.table.writePage(hits, count, cursorTrailer(readState), outputs);
          bytes = part.stream().mapToLong(BytesReference::length).sum();
          readState.pageSize.recordPage(count, Math.max(bytes, sumSourceBytes(hits, count)));
          body.addPart(part, outputs::close);
        }
        service.counts().recordPage(count, bytes);
        done = true;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        if (!done) {
          outputs.close();
          slice.rewind(before);
          rows -= count;
          remainingRows += count;
        }
      }
    }

    @Override
    public void onRejected(boolean forMemory) {
      service.counts().recordRetry();
      if (forMemory) {
        readState.pageSize.reduceAfterRejection(requestedRows);
      }
    }

    @Override
    public void onFailure(Exception failure) {
      ExportSession.this.onFailure(failure);
    }
  }

  /** Estimates the source bytes of a page from some of its hits. */
  private static long sumSourceBytes(ResponseHits hits, int count) {
    int step = Math.ceilDiv(count, SAMPLE_ROWS);
    long bytes = 0;
    for (int i = 0; i < count; i += step) {
      bytes += hits.sourceLength(i);
    }
    return bytes * step;
  }

  private Map<String, String> cursorTrailer(ReadState state) {
    return spec.sendsCursors() ? Map.of(spec.cursorName(), encodeCursor(state)) : Map.of();
  }

  private String encodeCursor(ReadState state) {
    return new ExportCursor(
            spec.requestHash(),
            state.pit.id(),
            pit.isOwned(),
            state.searchFactory.startMillis(),
            rows,
            state.sliceQueue.openPositions())
        .encode(spec.seal(), state.pit.packedId());
  }

  // Response.

  private void startResponse(TableStream table) {
    if (hasStarted) {
      return;
    }
    ResponsePartOutputs outputs = request.newPartOutputs();
    try {
      BytesReference head = table.writeHeader(outputs);
      body.addPart(List.of(head), outputs::close);
      hasStarted = true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      if (!hasStarted) {
        outputs.close(); // the memory limit may be the cause: the page is retried
      }
    }
    request.respond(table.contentType(), ExportTrailers.TRAILER_HEADERS, body);
    stallDetector.start(service.policy().drainTimeout());
  }

  /** Frees the slot, the pages and the point in time that a client holds without reading. */
  private void abandonClient() {
    cancelPages();
    releasePit(this::abandonPit);
    recordEnd(ExportCounts.End.FAILED);
    body.discard();
  }

  /**
   * Completes the response after the last row. A client with a cursor may still come back for rows
   * that did not reach it; the point in time then stays open for its keep-alive.
   */
  private void finishResponse(ReadState state) {
    boolean more = !state.sliceQueue.isDone();
    cancelPages();
    if (!spec.sendsCursors()) {
      releasePit(pit::close);
    } else if (more) {
      onEnd = pit::release;
    }
    startResponse(state.table);
    body.addPart(List.of(state.table.writeEnd()), () -> {});
    body.end(ExportTrailers.create(rows, more && spec.sendsCursors() ? encodeCursor(state) : null));
  }

  private void onFailure(Exception failure) {
    if (isStopped) {
      return;
    }
    cancelPages();
    releasePit(this::abandonPit);
    ReadState state = readState;
    if (hasStarted && state != null) {
      body.addPart(List.of(state.table.writeError(ErrorLineFormatter.format(failure))), () -> {});
      body.abort();
      recordEnd(ExportCounts.End.FAILED);
    } else {
      recordEnd(ExportCounts.End.FAILED);
      request.fail(failure);
    }
  }

  private void onDefect(Throwable why) {
    if (hasStarted && isStopped && !isEnded) {
      releasePit(this::abandonPit);
      body.abort(); // parts already added may not have been sent correctly
      recordEnd(ExportCounts.End.FAILED);
    } else if (hasStarted) {
      onFailure(new IllegalStateException(why));
    } else {
      stopUnanswered(ExportCounts.End.FAILED);
    }
  }

  /** Stops before the first byte, without a response. */
  private void stopUnanswered(ExportCounts.End outcome) {
    if (!isStopped) {
      cancelPages();
      releasePit(this::abandonPit);
      recordEnd(outcome);
    }
  }

  private void abandonPit() {
    pit.abandon(hasStarted && rows > 0);
  }

  /** Releases the point in time once. */
  private void releasePit(Runnable release) {
    if (!isPitReleased) {
      isPitReleased = true;
      pit.stop();
      release.run();
    }
  }

  private void cancelPages() {
    isStopped = true;
    List<PageSearch> pages = List.copyOf(pendingPages);
    pendingPages.clear();
    pages.forEach(page -> page.cancel(PAGES_NOT_NEEDED));
  }

  private void onComplete(boolean complete) {
    boolean allRowsSent = isStopped;
    cancelPages();
    releasePit(allRowsSent && complete ? onEnd : this::abandonPit);
    recordEnd(complete ? ExportCounts.End.COMPLETE : ExportCounts.End.CLIENT_DISCONNECTED);
  }

  private void recordEnd(ExportCounts.End how) {
    if (!isEnded) {
      isEnded = true;
      stallDetector.stop();
      service.onEnd(spec, how);
    }
  }
}
