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
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.search.SearchHit;

/**
 * One export under way. Confined to the request's home.
 *
 * <pre>
 *   opening --> (measuring) --> reading --> told --> over
 *      `-------------`-------------`---------^   failed: refused before the first page, broken off
 *                                                behind it; gone: nothing more is asked for
 * </pre>
 *
 * Pages are asked for while fewer than so many are under way, and fewer than twice as many are
 * under way or have not left: the client's pace is that of the nodes.
 */
final class ExportSession {
  /** Of so many hits of a page it is looked at how large they are. */
  private static final int SAMPLE_ROWS = 100;

  private static final String CLIENT_DISCONNECTED = "nobody waits for the export any more";

  private final ExportSpec spec;
  private final ExportService service;
  private final StreamingResponseSession request;
  private final PitLease pit;
  private final ExportBodySource body;
  private final Set<PageSearch> pendingPages = new LinkedHashSet<>();
  private final int targetConcurrency;
  private @Nullable ReadState readState;
  private boolean hasStarted;
  private boolean isStopped;
  private boolean isPitReleased;
  private boolean isEnded;

  /** What becomes of the point in time once the client has all that was told. */
  private Runnable onEnd;

  /** What the rows are read by, once the point in time is there. */
  private record ReadState(
      PointInTime pit,
      ExportSearchFactory searchFactory,
      SliceQueue sliceQueue,
      TableStream table,
      PageSizeController pageSize) {}

  private long rows;
  private long remainingRows;

  /** Rows that pages under way were asked for. */
  private long reservedRows;

  ExportSession(ExportSpec ask, ExportService desk, StreamingResponseSession request) {
    this.spec = ask;
    this.service = desk;
    this.request = request;
    this.targetConcurrency =
        ask.isOrdered()
            ? 1
            : ask.parseSlices() > 0 ? ask.parseSlices() : desk.policy().defaultSlices();
    this.pit = new PitLease(ask, desk, request);
    this.onEnd = pit::close;
    this.body =
        new ExportBodySource(
            () -> request.eventLoop().execute(this::loadNextPages), this::onComplete);
    this.remainingRows = ask.maxRows();
    this.rows = ask.parseCursor() == null ? 0 : ask.parseCursor().rowsSent();
  }

  // The beginning.

  void start() {
    request.onStop(this::abort);
    pit.open(this::onPitOpened, this::onFailure);
  }

  private void onPitOpened(PointInTime pit) {
    if (isStopped) {
      return;
    }
    long start =
        spec.parseCursor() == null ? this.pit.startMillis() : spec.parseCursor().startMillis();
    ExportSearchFactory searches = new ExportSearchFactory(spec, pit, start);
    if (spec.parseCursor() != null) {
      SliceQueue slices = new SliceQueue();
      for (ExportSlice.Position at : spec.parseCursor().positions()) {
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

  /** Finds the last document of each shard, so that shards can be cut into several slices. */
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
      ask(
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
              onMeasured(shard, Long.MAX_VALUE); // its pages will fail as well, or will do
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

  private void ask(PageSearch.PageHandler reader) {
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
      startResponse(table);
    }
    loadNextPages();
  }

  // Pages.

  private void loadNextPages() {
    ReadState by = readState;
    if (by == null || isStopped) {
      return;
    }
    while (pendingPages.size() < targetConcurrency
        && pendingPages.size() + body.pendingCount() < 2 * targetConcurrency
        && reservedRows < remainingRows) {
      ExportSlice slice = by.sliceQueue.pollIdle();
      if (slice == null) {
        break;
      }
      loadPage(by, slice);
    }
    if (remainingRows == 0 || by.sliceQueue.isDone()) {
      onPageSent(by);
    }
  }

  private void loadPage(ReadState by, ExportSlice slice) {
    PageLoad loading = new PageLoad(by, slice);
    PageSearch page = new PageSearch(request, service.timer(), loading);
    loading.page = page;
    pendingPages.add(page);
    page.send();
  }

  /** A page of a slice while it is loaded. */
  private final class PageLoad implements PageSearch.PageHandler {
    private final ReadState readState;
    private final ExportSlice slice;
    private @Nullable PageSearch page;
    private int requestedRows;

    PageLoad(ReadState by, ExportSlice slice) {
      this.readState = by;
      this.slice = slice;
    }

    @Override
    public SearchRequest createSearch() {
      reservedRows -= requestedRows;
      long wished = Math.max(1, Math.min(readState.pageSize.rows(), remainingRows - reservedRows));
      requestedRows = (int) Math.min(wished, slice.maxRemainingRows());
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

  /** What their documents take, by some of them. */
  private static long sumSourceBytes(ResponseHits hits, int count) {
    int step = Math.ceilDiv(count, SAMPLE_ROWS);
    long bytes = 0;
    for (int i = 0; i < count; i += step) {
      bytes += hits.sourceLength(i);
    }
    return bytes * step;
  }

  private Map<String, String> cursorTrailer(ReadState by) {
    return spec.sendsCursors() ? Map.of(spec.cursorName(), encodeCursor(by)) : Map.of();
  }

  private String encodeCursor(ReadState by) {
    return new ExportCursor(
            spec.requestHash(),
            by.pit.id(),
            pit.isOwned(),
            by.searchFactory.startMillis(),
            rows,
            by.sliceQueue.openPositions())
        .encode();
  }

  // The answer.

  /** Begins to answer, unless that was begun. */
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
        outputs.close(); // for want of room, perhaps: the page is asked for again
      }
    }
    request.respond(table.contentType(), ExportTrailers.TRAILER_HEADERS, body);
  }

  /**
   * All rows were told that are to be: the point in time is not read any more, but may be by who
   * comes again with a cursor because the rest did not reach him.
   */
  private void onPageSent(ReadState by) {
    boolean more = !by.sliceQueue.isDone();
    cancelPages();
    if (!spec.sendsCursors()) {
      letGo(pit::close);
    } else if (more) {
      onEnd = pit::release;
    }
    startResponse(by.table);
    body.addPart(List.of(by.table.writeEnd()), () -> {});
    body.end(ExportTrailers.create(rows, more && spec.sendsCursors() ? encodeCursor(by) : null));
  }

  private void onFailure(Exception failure) {
    if (isStopped) {
      return;
    }
    cancelPages();
    letGo(this::giveUpPit);
    ReadState by = readState;
    if (hasStarted && by != null) {
      body.addPart(List.of(by.table.writeError(ErrorLineFormatter.format(failure))), () -> {});
      body.abort();
      recordEnd(ExportCounts.End.FAILED);
    } else {
      recordEnd(ExportCounts.End.FAILED);
      request.fail(failure);
    }
  }

  /** Nobody waits any more, or something went wrong that should not. */
  private void abort(Throwable why) {
    if (hasStarted && isStopped && !isEnded) {
      letGo(this::giveUpPit);
      body.abort(); // what was told may not have been sent as it should
      recordEnd(ExportCounts.End.FAILED);
    } else if (hasStarted) {
      onFailure(new IllegalStateException(why));
    } else if (!isStopped) {
      cancelPages();
      letGo(this::giveUpPit);
      recordEnd(ExportCounts.End.CLIENT_DISCONNECTED);
    }
  }

  private void giveUpPit() {
    pit.abandon(hasStarted && rows > 0);
  }

  /** Lets go of the point in time, once. */
  private void letGo(Runnable how) {
    if (!isPitReleased) {
      isPitReleased = true;
      pit.stop();
      how.run();
    }
  }

  /** Asks for nothing more. */
  private void cancelPages() {
    isStopped = true;
    List<PageSearch> pages = List.copyOf(pendingPages);
    pendingPages.clear();
    pages.forEach(page -> page.cancel(CLIENT_DISCONNECTED));
  }

  private void onComplete(boolean complete) {
    boolean told = isStopped;
    cancelPages();
    letGo(told && complete ? onEnd : this::giveUpPit);
    recordEnd(complete ? ExportCounts.End.COMPLETE : ExportCounts.End.CLIENT_DISCONNECTED);
  }

  private void recordEnd(ExportCounts.End how) {
    if (!isEnded) {
      isEnded = true;
      service.counts().recordEnd(how);
    }
  }
}
