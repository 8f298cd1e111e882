package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.ClusterDocuments.Failure;
import dev.weir.bluegreen.dual.DocumentRepair.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Goes through a repair log and brings every document that it names up to date, each once. What it
 * has repaired it marks as done, and a file that has anything else it leaves for the next time. May
 * be run again, and while gateways write. Blocks; used once.
 */
public final class Repair {
  /** Documents that are worked on at once. */
  private static final int AT_ONCE = 32;

  /** Failures that are shown of a file. */
  private static final int MOST_SHOWN = 20;

  private static final long SAY_EVERY_NANOS = Duration.ofSeconds(5).toNanos();

  private final Function<String, ClusterDocuments> clusters;
  private final Wish wish;
  private final Consumer<String> say;
  private final Map<Key, Known> known = new HashMap<>();

  /**
   * What is wanted of a repair.
   *
   * @param direction which entries are repaired
   * @param dryRun whether nothing is written, neither to the clusters nor beside the log
   * @param fromWins whether the cluster that the log calls right is so also where the other one has
   *     a higher version
   * @param dismissRequests whether requests that can't be repeated, and documents that can't be
   *     found again, count as repaired
   */
  public record Wish(
      Predicate<RepairEntry> direction,
      boolean dryRun,
      boolean fromWins,
      boolean dismissRequests,
      Duration patience) {}

  /**
   * Makes one.
   *
   * @param clusters by name; throws {@link IllegalArgumentException} for an unknown one
   * @param say tells people, a line at a time
   */
  public Repair(Function<String, ClusterDocuments> clusters, Wish wish, Consumer<String> say) {
    this.clusters = clusters;
    this.wish = wish;
    this.say = say;
  }

  /**
   * Repairs.
   *
   * @return whether all of the log is repaired now
   * @throws IOException when the log can't be read, or not be marked
   */
  public boolean run(Path directory) throws IOException, InterruptedException {
    List<RepairFile> files = RepairFile.in(directory);
    if (files.isEmpty()) {
      say.accept(directory + ": nothing to repair");
    }
    for (RepairFile file : files) {
      for (RepairEntry entry : file.read().entries()) {
        if (entry instanceof RepairEntry.OfDocument document && wish.direction().test(entry)) {
          known.computeIfAbsent(Key.of(document), key -> new Known(document)).add(document);
        }
      }
    }
    boolean complete = true;
    for (RepairFile file : files) {
      complete &= repair(file);
    }
    return complete;
  }

  private record Key(String from, String to, RepairEntry.Document document) {
    static Key of(RepairEntry.OfDocument entry) {
      RepairEntry.Document one = entry.document();
      return new Key(
          entry.from(),
          entry.to(),
          new RepairEntry.Document(
              one.index(), one.concrete(), one.id(), one.routing(), one.lies(), true));
    }
  }

  /** What all files say of a document, and whether it is repaired. Used by one thread at a time. */
  private static final class Known {
    private RepairEntry.OfDocument newest;
    private boolean unknown;
    private boolean tried;
    private volatile boolean repaired;

    Known(RepairEntry.OfDocument first) {
      this.newest = first;
    }

    void add(RepairEntry.OfDocument entry) {
      unknown |= entry.op() == RepairEntry.Op.UNKNOWN;
      boolean newer =
          entry.version() > newest.version()
              || (entry.version() == newest.version() && !entry.time().isBefore(newest.time()));
      if (newer) {
        newest = entry;
      }
    }
  }

  private boolean repair(RepairFile file) throws IOException, InterruptedException {
    RepairFile.Read read = file.read();
    Map<Key, Known> documents = new LinkedHashMap<>();
    List<RepairEntry.OfRequest> requests = new ArrayList<>();
    int elsewhere = 0;
    for (RepairEntry entry : read.entries()) {
      if (!wish.direction().test(entry)) {
        elsewhere++;
        continue;
      }
      switch (entry) {
        case RepairEntry.OfRequest request -> requests.add(request);
        case RepairEntry.OfDocument document ->
            documents.computeIfAbsent(Key.of(document), this::known);
      }
    }
    say.accept(
        file.path()
            + ": "
            + read.entries().size()
            + " entries, "
            + documents.size()
            + " documents");
    List<Known> untried = documents.values().stream().filter(known -> !known.tried).toList();
    Tally tally = new Tally(documents.size());
    work(untried, tally);
    int before = documents.size() - untried.size();
    say.accept("  " + tally + (before == 0 ? "" : "; " + before + " as in a file before"));
    tally.shown.forEach(failure -> say.accept("  " + failure));
    for (RepairEntry.OfRequest request : requests) {
      say.accept(
          "  not repeated, "
              + request.time()
              + ": "
              + request.method()
              + " "
              + request.path()
              + (wish.dismissRequests() ? " (dismissed)" : ""));
    }
    read.unreadable().forEach(line -> say.accept("  unreadable: " + line));
    if (elsewhere > 0) {
      say.accept("  " + elsewhere + " entries between other clusters are left");
    }
    boolean whole =
        documents.values().stream().allMatch(known -> known.repaired)
            && elsewhere == 0
            && read.unreadable().isEmpty()
            && (requests.isEmpty() || wish.dismissRequests());
    if (whole && !wish.dryRun()) {
      file.done();
    }
    return whole && !wish.dryRun();
  }

  private Known known(Key key) {
    return Objects.requireNonNull(known.get(key));
  }

  /** What became of a file's documents. Safe on any thread. */
  private static final class Tally {
    private final int documents;
    private final Map<Result, AtomicInteger> results = new EnumMap<>(Result.class);
    private final AtomicInteger failed = new AtomicInteger();
    private final Queue<String> shown = new ConcurrentLinkedQueue<>();

    Tally(int documents) {
      this.documents = documents;
      for (Result result : Result.values()) {
        results.put(result, new AtomicInteger());
      }
    }

    private int of(Result result) {
      AtomicInteger count = results.get(result);
      return count == null ? 0 : count.get();
    }

    void add(RepairEntry.OfDocument entry, Result result) {
      results.computeIfPresent(
          result,
          (same, count) -> {
            count.incrementAndGet();
            return count;
          });
      if (result == Result.HIGHER) {
        show(entry, "has a higher version in " + entry.to() + ", left as it is");
      } else if (result == Result.LOST) {
        show(entry, "can't be found in " + entry.from() + ", nor is known to be gone there");
      }
    }

    void fail(RepairEntry.OfDocument entry, String why) {
      failed.incrementAndGet();
      show(entry, why);
    }

    private void show(RepairEntry.OfDocument entry, String why) {
      if (shown.size() < MOST_SHOWN) {
        shown.add(entry.document().index() + "/" + entry.document().id() + ": " + why);
      }
    }

    @Override
    public String toString() {
      return of(Result.WRITTEN)
          + " written, "
          + of(Result.DELETED)
          + " deleted, "
          + of(Result.SAME)
          + " the same already, "
          + of(Result.HIGHER)
          + " with a higher version, "
          + of(Result.LOST)
          + " not found, "
          + failed.get()
          + " failed, of "
          + documents;
    }
  }

  private void work(List<Known> documents, Tally tally) throws InterruptedException {
    AtomicInteger next = new AtomicInteger();
    AtomicLong said = new AtomicLong(System.nanoTime());
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < Math.min(AT_ONCE, documents.size()); i++) {
      workers.add(
          Thread.ofVirtual()
              .name("weir-repair-" + i)
              .start(() -> {
                for (int at = next.getAndIncrement();
                    at < documents.size() && !Thread.currentThread().isInterrupted();
                    at = next.getAndIncrement()) {
                  repair(documents.get(at), tally);
                  long last = said.get();
                  long now = System.nanoTime();
                  if (now - last > SAY_EVERY_NANOS && said.compareAndSet(last, now)) {
                    say.accept("  so far " + tally);
                  }
                }
              }));
    }
    for (Thread worker : workers) {
      worker.join();
    }
  }

  private void repair(Known known, Tally tally) {
    RepairEntry.OfDocument entry = known.newest;
    known.tried = true;
    try {
      DocumentRepair repair =
          new DocumentRepair(
              clusters.apply(entry.from()),
              clusters.apply(entry.to()),
              wish.fromWins(),
              wish.dryRun(),
              DocumentRepair.Pause.of(PAUSE, Math.toIntExact(wish.patience().dividedBy(PAUSE))));
      Result result = repair.repair(entry, known.unknown);
      tally.add(entry, result);
      known.repaired =
          switch (result) {
            case WRITTEN, DELETED, SAME -> true;
            case HIGHER -> false;
            case LOST -> wish.dismissRequests();
          };
    } catch (Failure | IllegalArgumentException failure) {
      tally.fail(entry, String.valueOf(failure.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      tally.fail(entry, "interrupted");
    }
  }

  private static final Duration PAUSE = Duration.ofMillis(500);
}
