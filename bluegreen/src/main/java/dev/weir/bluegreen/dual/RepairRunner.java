package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.ClusterDocumentClient.DocumentAccessException;
import dev.weir.bluegreen.dual.DocumentRepairer.Result;
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
 * Replays a repair log: repairs each document that it names once. Marks repaired entries as done,
 * and keeps a file with other entries for the next run. Can run repeatedly, and while gateways
 * write. Blocks; used once.
 */
public final class RepairRunner {
  /** The maximum of concurrent document repairs. */
  private static final int MAX_CONCURRENT_DOCUMENTS = 32;

  /** The maximum of reported failures per file. */
  private static final int MAX_SHOWN_FAILURES = 20;

  private static final long PROGRESS_INTERVAL_NANOS = Duration.ofSeconds(5).toNanos();

  private final Function<String, ClusterDocumentClient> clusters;
  private final Options options;
  private final Consumer<String> progress;
  private final Map<DocumentKey, DocumentState> documents = new HashMap<>();

  /**
   * The options of a repair.
   *
   * @param filter selects the entries
   * @param dryRun whether it writes nothing, neither to the clusters nor beside the log
   * @param sourceWins whether the source cluster's document replaces one with a higher version
   * @param dismissUnrepairable whether requests that can't be repeated and documents that can't be
   *     found count as repaired
   */
  public record Options(
      Predicate<RepairEntry> filter,
      boolean dryRun,
      boolean sourceWins,
      boolean dismissUnrepairable,
      Duration retryTimeout) {}

  /**
   * Creates a repair.
   *
   * @param clusters by name; throws {@link IllegalArgumentException} for an unknown one
   * @param say receives progress messages, one line each
   */
  public RepairRunner(
      Function<String, ClusterDocumentClient> clusters, Options options, Consumer<String> say) {
    this.clusters = clusters;
    this.options = options;
    this.progress = say;
  }

  /**
   * Runs the repair.
   *
   * @return whether the whole log is repaired now
   * @throws IOException if the log can't be read or marked
   */
  public boolean run(Path directory) throws IOException, InterruptedException {
    List<RepairLogFile> files = RepairLogFile.listPending(directory);
    if (files.isEmpty()) {
      progress.accept(directory + ": nothing to repair");
    }
    for (RepairLogFile file : files) {
      for (RepairEntry entry : file.readEntries().entries()) {
        if (entry instanceof RepairEntry.DocumentEntry document && options.filter().test(entry)) {
          documents
              .computeIfAbsent(DocumentKey.of(document), key -> new DocumentState(document))
              .add(document);
        }
      }
    }
    boolean complete = true;
    for (RepairLogFile file : files) {
      complete &= repair(file);
    }
    return complete;
  }

  private record DocumentKey(
      String sourceCluster, String targetCluster, RepairEntry.Document document) {
    static DocumentKey of(RepairEntry.DocumentEntry entry) {
      RepairEntry.Document one = entry.document();
      return new DocumentKey(
          entry.sourceCluster(),
          entry.targetCluster(),
          new RepairEntry.Document(
              one.index(),
              one.concreteIndex(),
              one.id(),
              one.routing(),
              one.sourceRouting(),
              true));
    }
  }

  /**
   * The entries of a document in all files, and whether it is repaired. Used by one thread at a
   * time.
   */
  private static final class DocumentState {
    private RepairEntry.DocumentEntry newest;
    private boolean outcomeUnknown;
    private boolean attempted;
    private volatile boolean repaired;

    DocumentState(RepairEntry.DocumentEntry first) {
      this.newest = first;
    }

    void add(RepairEntry.DocumentEntry entry) {
      outcomeUnknown |= entry.op() == RepairEntry.Op.UNKNOWN;
      boolean newer =
          entry.version() > newest.version()
              || (entry.version() == newest.version() && !entry.time().isBefore(newest.time()));
      if (newer) {
        newest = entry;
      }
    }
  }

  private boolean repair(RepairLogFile file) throws IOException, InterruptedException {
    RepairLogFile.Contents read = file.readEntries();
    Map<DocumentKey, DocumentState> documents = new LinkedHashMap<>();
    List<RepairEntry.RequestEntry> requests = new ArrayList<>();
    int elsewhere = 0;
    for (RepairEntry entry : read.entries()) {
      if (!options.filter().test(entry)) {
        elsewhere++;
        continue;
      }
      switch (entry) {
        case RepairEntry.RequestEntry request -> requests.add(request);
        case RepairEntry.DocumentEntry document ->
            documents.computeIfAbsent(DocumentKey.of(document), this::documents);
      }
    }
    progress.accept(
        file.path()
            + ": "
            + read.entries().size()
            + " entries, "
            + documents.size()
            + " documents");
    List<DocumentState> untried =
        documents.values().stream().filter(known -> !known.attempted).toList();
    FileSummary tally = new FileSummary(documents.size());
    repairAll(untried, tally);
    int before = documents.size() - untried.size();
    progress.accept("  " + tally + (before == 0 ? "" : "; " + before + " as in a file before"));
    tally.shownFailures.forEach(failure -> progress.accept("  " + failure));
    for (RepairEntry.RequestEntry request : requests) {
      progress.accept(
          "  not repeated, "
              + request.time()
              + ": "
              + request.method()
              + " "
              + request.path()
              + (options.dismissUnrepairable() ? " (dismissed)" : ""));
    }
    read.unreadable().forEach(line -> progress.accept("  unreadable: " + line));
    if (elsewhere > 0) {
      progress.accept("  " + elsewhere + " entries between other clusters are left");
    }
    boolean whole =
        documents.values().stream().allMatch(known -> known.repaired)
            && elsewhere == 0
            && read.unreadable().isEmpty()
            && (requests.isEmpty() || options.dismissUnrepairable());
    if (whole && !options.dryRun()) {
      file.markDone();
    }
    return whole && !options.dryRun();
  }

  private DocumentState documents(DocumentKey key) {
    return Objects.requireNonNull(documents.get(key));
  }

  /** Counts the repaired documents of a file. Safe on any thread. */
  private static final class FileSummary {
    private final int documents;
    private final Map<Result, AtomicInteger> results = new EnumMap<>(Result.class);
    private final AtomicInteger failed = new AtomicInteger();
    private final Queue<String> shownFailures = new ConcurrentLinkedQueue<>();

    FileSummary(int documents) {
      this.documents = documents;
      for (Result result : Result.values()) {
        results.put(result, new AtomicInteger());
      }
    }

    private int count(Result result) {
      AtomicInteger count = results.get(result);
      return count == null ? 0 : count.get();
    }

    void add(RepairEntry.DocumentEntry entry, Result result) {
      results.computeIfPresent(
          result,
          (same, count) -> {
            count.incrementAndGet();
            return count;
          });
      if (result == Result.NEWER_IN_TARGET) {
        addShown(entry, "has a higher version in " + entry.targetCluster() + ", left as it is");
      } else if (result == Result.MISSING_IN_SOURCE) {
        addShown(
            entry,
            "can't be found in " + entry.sourceCluster() + ", nor is known to be gone there");
      }
    }

    void fail(RepairEntry.DocumentEntry entry, String reason) {
      failed.incrementAndGet();
      addShown(entry, reason);
    }

    private void addShown(RepairEntry.DocumentEntry entry, String reason) {
      if (shownFailures.size() < MAX_SHOWN_FAILURES) {
        shownFailures.add(entry.document().index() + "/" + entry.document().id() + ": " + reason);
      }
    }

    @Override
    public String toString() {
      return count(Result.WRITTEN)
          + " written, "
          + count(Result.DELETED)
          + " deleted, "
          + count(Result.SAME)
          + " the same already, "
          + count(Result.NEWER_IN_TARGET)
          + " with a higher version, "
          + count(Result.MISSING_IN_SOURCE)
          + " not found, "
          + failed.get()
          + " failed, of "
          + documents;
    }
  }

  private void repairAll(List<DocumentState> documents, FileSummary tally)
      throws InterruptedException {
    AtomicInteger next = new AtomicInteger();
    AtomicLong lastReportNanos = new AtomicLong(System.nanoTime());
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < Math.min(MAX_CONCURRENT_DOCUMENTS, documents.size()); i++) {
      workers.add(
          Thread.ofVirtual()
              .name("weir-repair-" + i)
              .start(() -> {
                for (int at = next.getAndIncrement();
                    at < documents.size() && !Thread.currentThread().isInterrupted();
                    at = next.getAndIncrement()) {
                  repair(documents.get(at), tally);
                  long last = lastReportNanos.get();
                  long now = System.nanoTime();
                  if (now - last > PROGRESS_INTERVAL_NANOS
                      && lastReportNanos.compareAndSet(last, now)) {
                    progress.accept("  so far " + tally);
                  }
                }
              }));
    }
    for (Thread worker : workers) {
      worker.join();
    }
  }

  private void repair(DocumentState known, FileSummary tally) {
    RepairEntry.DocumentEntry entry = known.newest;
    known.attempted = true;
    try {
      DocumentRepairer repair =
          new DocumentRepairer(
              clusters.apply(entry.sourceCluster()),
              clusters.apply(entry.targetCluster()),
              options.sourceWins(),
              options.dryRun(),
              DocumentRepairer.RetryPause.fixed(
                  PAUSE, Math.toIntExact(options.retryTimeout().dividedBy(PAUSE))));
      Result result = repair.repair(entry, known.outcomeUnknown);
      tally.add(entry, result);
      known.repaired =
          switch (result) {
            case WRITTEN, DELETED, SAME -> true;
            case NEWER_IN_TARGET -> false;
            case MISSING_IN_SOURCE -> options.dismissUnrepairable();
          };
    } catch (DocumentAccessException | IllegalArgumentException failure) {
      tally.fail(entry, String.valueOf(failure.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      tally.fail(entry, "interrupted");
    }
  }

  private static final Duration PAUSE = Duration.ofMillis(500);
}
