package dev.weir.responses.export;

import dev.weir.responses.columnar.FoundHits;
import dev.weir.responses.columnar.TableStream;
import dev.weir.rest.PartOutputs;
import dev.weir.rest.StreamedRequest;
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
final class Export {
  /** Of so many hits of a page it is looked at how large they are. */
  private static final int SAMPLE = 100;

  private static final String GONE = "nobody waits for the export any more";

  private final ExportAsk ask;
  private final ExportDesk desk;
  private final StreamedRequest request;
  private final HeldPit held;
  private final Backlog backlog;
  private final Set<Page> underWay = new LinkedHashSet<>();
  private final int wanted;
  private @Nullable Reading reading;
  private boolean begun;
  private boolean stopped;
  private boolean letGo;
  private boolean ended;

  /** What becomes of the point in time once the client has all that was told. */
  private Runnable atEnd;

  /** What the rows are read by, once the point in time is there. */
  private record Reading(
      PointInTime pit, Searches searches, Slices slices, TableStream table, PageSize size) {}

  private long rows;
  private long left;

  /** Rows that pages under way were asked for. */
  private long promised;

  Export(ExportAsk ask, ExportDesk desk, StreamedRequest request) {
    this.ask = ask;
    this.desk = desk;
    this.request = request;
    this.wanted = ask.order() ? 1 : ask.slices() > 0 ? ask.slices() : desk.policy().slices();
    this.held = new HeldPit(ask, desk, request);
    this.atEnd = held::close;
    this.backlog = new Backlog(() -> request.home().execute(this::goOn), this::over);
    this.left = ask.limit();
    this.rows = ask.cursor() == null ? 0 : ask.cursor().rows();
  }

  // The beginning.

  void begin() {
    request.whenHopeless(this::hopeless);
    held.open(this::opened, this::failed);
  }

  private void opened(PointInTime pit) {
    if (stopped) {
      return;
    }
    long start = ask.cursor() == null ? held.startMillis() : ask.cursor().startMillis();
    Searches searches = new Searches(ask, pit, start);
    if (ask.cursor() != null) {
      Slices slices = new Slices();
      for (Slice.Position at : ask.cursor().left()) {
        if (at.shard() < Slice.ALL
            || at.shard() >= pit.shards()
            || (at.after() != null && at.after().length != searches.sorted())) {
          failed(new IllegalArgumentException("got a cursor of other shards (expected: its own)"));
          return;
        }
        slices.add(new Slice(at));
      }
      read(pit, searches, slices);
    } else if (ask.order() || pit.shards() == 0) {
      Slices slices = new Slices();
      if (pit.shards() > 0) {
        slices.add(new Slice(new Slice.Position(Slice.ALL, null, Slice.OPEN)));
      }
      read(pit, searches, slices);
    } else if (pit.shards() >= wanted || !searches.measurable()) {
      List<Long> unknown = new ArrayList<>();
      for (int shard = 0; shard < pit.shards(); shard++) {
        unknown.add(Long.MAX_VALUE);
      }
      read(pit, searches, Slices.cut(unknown, wanted, 1));
    } else {
      new Measuring(pit, searches).begin();
    }
  }

  /** Finds the last document of each shard, so that shards can be cut into several slices. */
  private final class Measuring {
    private final PointInTime pit;
    private final Searches searches;
    private final long[] lasts;
    private int missing;

    Measuring(PointInTime pit, Searches searches) {
      this.pit = pit;
      this.searches = searches;
      this.lasts = new long[pit.shards()];
      this.missing = pit.shards();
    }

    void begin() {
      for (int shard = 0; shard < lasts.length; shard++) {
        measure(shard);
      }
    }

    private void measure(int shard) {
      ask(
          new Page.Reader() {
            @Override
            public SearchRequest search() {
              return searches.last(shard);
            }

            @Override
            public void answered(SearchResponse response) {
              SearchHit[] hits = response.getHits().getHits();
              boolean whole = response.getFailedShards() == 0 && !response.isTimedOut();
              measured(
                  shard,
                  !whole
                      ? Long.MAX_VALUE
                      : hits.length == 0 ? -1 : ((Number) hits[0].getSortValues()[0]).longValue());
            }

            @Override
            public void refused(boolean forMemory) {
              desk.counts().retry();
            }

            @Override
            public void failed(Exception failure) {
              measured(shard, Long.MAX_VALUE); // its pages will fail as well, or will do
            }
          });
    }

    private void measured(int shard, long last) {
      lasts[shard] = last;
      if (--missing == 0 && !stopped) {
        List<Long> all = new ArrayList<>();
        for (long each : lasts) {
          all.add(each);
        }
        read(pit, searches, Slices.cut(all, wanted, ExportDesk.LEAST_OF_A_SLICE));
      }
    }
  }

  private void ask(Page.Reader reader) {
    Page page = new Page(request, desk.timer(), reader);
    underWay.add(page);
    page.ask();
  }

  private void read(PointInTime pit, Searches searches, Slices slices) {
    TableStream table;
    try {
      table = desk.tables().open(ask.form(), searches.source(), pit.indices(), ask.lists());
    } catch (IllegalArgumentException e) {
      failed(e);
      return;
    }
    PageSize size = new PageSize(desk.policy().pageBytes().bytes(), desk.mostRows(pit.indices()));
    reading = new Reading(pit, searches, slices, table, size);
    underWay.clear();
    if (slices.done()) {
      answer(table);
    }
    goOn();
  }

  // Pages.

  private void goOn() {
    Reading by = reading;
    if (by == null || stopped) {
      return;
    }
    while (underWay.size() < wanted
        && underWay.size() + backlog.unsent() < 2 * wanted
        && promised < left) {
      Slice slice = by.slices.take();
      if (slice == null) {
        break;
      }
      load(by, slice);
    }
    if (left == 0 || by.slices.done()) {
      told(by);
    }
  }

  private void load(Reading by, Slice slice) {
    Loading loading = new Loading(by, slice);
    Page page = new Page(request, desk.timer(), loading);
    loading.page = page;
    underWay.add(page);
    page.ask();
  }

  /** A page of a slice while it is loaded. */
  private final class Loading implements Page.Reader {
    private final Reading by;
    private final Slice slice;
    private @Nullable Page page;
    private int asked;

    Loading(Reading by, Slice slice) {
      this.by = by;
      this.slice = slice;
    }

    @Override
    public SearchRequest search() {
      promised -= asked;
      long wished = Math.max(1, Math.min(by.size.rows(), left - promised));
      asked = (int) Math.min(wished, slice.most());
      promised += asked;
      return by.searches.page(slice, asked);
    }

    @Override
    public void answered(SearchResponse response) {
      if (response.isTimedOut() || response.getFailedShards() > 0) {
        Export.this.failed(new IllegalStateException("got a part of a page (expected: all of it)"));
        return;
      }
      tell(FoundHits.of(response));
      promised -= asked;
      underWay.remove(page);
      by.slices.giveBack(slice);
      goOn();
    }

    private void tell(FoundHits hits) {
      int own = slice.own(hits);
      int count = (int) Math.min(own, left);
      Slice.Position before = slice.position();
      slice.told(hits, count, count == own && (own < hits.count() || hits.count() < asked));
      rows += count;
      left -= count;
      PartOutputs outputs = request.outputs();
      boolean done = false;
      try {
        answer(by.table);
        long bytes = 0;
        if (count > 0) {
          List<BytesReference> part = by.table.page(hits, count, cursor(by), outputs);
          bytes = part.stream().mapToLong(BytesReference::length).sum();
          by.size.saw(count, Math.max(bytes, sourceBytes(hits, count)));
          backlog.add(part, outputs::close);
        }
        desk.counts().page(count, bytes);
        done = true;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        if (!done) {
          outputs.close();
          slice.back(before);
          rows -= count;
          left += count;
        }
      }
    }

    @Override
    public void refused(boolean forMemory) {
      desk.counts().retry();
      if (forMemory) {
        by.size.tooMuch(asked);
      }
    }

    @Override
    public void failed(Exception failure) {
      Export.this.failed(failure);
    }
  }

  /** What their documents take, by some of them. */
  private static long sourceBytes(FoundHits hits, int count) {
    int step = Math.ceilDiv(count, SAMPLE);
    long bytes = 0;
    for (int i = 0; i < count; i += step) {
      bytes += hits.sourceLength(i);
    }
    return bytes * step;
  }

  private Map<String, String> cursor(Reading by) {
    return ask.cursors() ? Map.of(ask.cursorName(), cursorText(by)) : Map.of();
  }

  private String cursorText(Reading by) {
    return new Cursor(
            ask.belongs(),
            by.pit.id(),
            held.own(),
            by.searches.startMillis(),
            rows,
            by.slices.positions())
        .encode();
  }

  // The answer.

  /** Begins to answer, unless that was begun. */
  private void answer(TableStream table) {
    if (begun) {
      return;
    }
    PartOutputs outputs = request.outputs();
    try {
      BytesReference head = table.head(outputs);
      backlog.add(List.of(head), outputs::close);
      begun = true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      if (!begun) {
        outputs.close(); // for want of room, perhaps: the page is asked for again
      }
    }
    request.answer(table.contentType(), Trailers.ANNOUNCED, backlog);
  }

  /**
   * All rows were told that are to be: the point in time is not read any more, but may be by who
   * comes again with a cursor because the rest did not reach him.
   */
  private void told(Reading by) {
    boolean more = !by.slices.done();
    stopAsking();
    if (!ask.cursors()) {
      letGo(held::close);
    } else if (more) {
      atEnd = held::leave;
    }
    answer(by.table);
    backlog.add(List.of(by.table.end()), () -> {});
    backlog.end(Trailers.of(rows, more && ask.cursors() ? cursorText(by) : null));
  }

  private void failed(Exception failure) {
    if (stopped) {
      return;
    }
    stopAsking();
    letGo(this::giveUp);
    Reading by = reading;
    if (begun && by != null) {
      backlog.add(List.of(by.table.broken(ErrorLine.of(failure))), () -> {});
      backlog.breakOff();
      end(ExportCounts.End.FAILED);
    } else {
      end(ExportCounts.End.FAILED);
      request.fail(failure);
    }
  }

  /** Nobody waits any more, or something went wrong that should not. */
  private void hopeless(Throwable why) {
    if (begun && stopped && !ended) {
      letGo(this::giveUp);
      backlog.breakOff(); // what was told may not have been sent as it should
      end(ExportCounts.End.FAILED);
    } else if (begun) {
      failed(new IllegalStateException(why));
    } else if (!stopped) {
      stopAsking();
      letGo(this::giveUp);
      end(ExportCounts.End.GONE);
    }
  }

  private void giveUp() {
    held.giveUp(begun && rows > 0);
  }

  /** Lets go of the point in time, once. */
  private void letGo(Runnable how) {
    if (!letGo) {
      letGo = true;
      held.stop();
      how.run();
    }
  }

  /** Asks for nothing more. */
  private void stopAsking() {
    stopped = true;
    List<Page> pages = List.copyOf(underWay);
    underWay.clear();
    pages.forEach(page -> page.cancel(GONE));
  }

  private void over(boolean complete) {
    boolean told = stopped;
    stopAsking();
    letGo(told && complete ? atEnd : this::giveUp);
    end(complete ? ExportCounts.End.COMPLETE : ExportCounts.End.GONE);
  }

  private void end(ExportCounts.End how) {
    if (!ended) {
      ended = true;
      desk.counts().end(how);
    }
  }
}
