package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.ClusterDocumentClient.DocumentAccessException;
import dev.weir.bluegreen.dual.DocumentRepairer.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Replays a repair log: repairs each document that it names once, in the direction of its last
 * acknowledged write. Marks each repaired entry at once, so that the next run leaves it out, and a
 * file as done whose entries are all repaired. Can run repeatedly, and while gateways write. A log
 * with more documents than the heap holds is read in several passes. Blocks; used once.
 */
public final class RepairRunner {
  /** Some 50 MB of heap: an entry takes about 1 KB. */
  private static final int MAX_ENTRIES_PER_PASS = 50_000;

  /** The maximum of concurrent document repairs. */
  private static final int MAX_CONCURRENT_DOCUMENTS = 32;

  private static final long PROGRESS_INTERVAL_NANOS = Duration.ofSeconds(5).toNanos();

  private final Function<String, ClusterDocumentClient> clusters;
  private final Options options;
  private final Consumer<String> progress;
  private final int maxEntriesPerPass;
  private final RepairMarks marks = new RepairMarks();
  private final RepairPace pace;
  private final FileRepairSummary total;

  /**
   * The options of a repair.
   *
   * @param filter selects the entries to repair; of one direction if {@code sourceWins}
   * @param dryRun whether it writes nothing, neither to the clusters nor beside the log
   * @param sourceWins whether the source cluster's document replaces one with a higher version
   * @param dismissUnrepairable whether requests that can't be repeated and documents that can't be
   *     found count as repaired
   * @param retryTimeout how long a document is tried while a cluster remembers its deletion
   * @param maxDocumentsPerSecond infinite for no limit
   * @param renamed whether one of the clusters has another name for an index, or the index under
   *     such a name
   * @param hasTraffic whether a cluster, by its name, gets requests of its own
   */
  public record Options(
      Predicate<RepairEntry> filter,
      boolean dryRun,
      boolean sourceWins,
      boolean dismissUnrepairable,
      Duration retryTimeout,
      double maxDocumentsPerSecond,
      Predicate<String> renamed,
      Predicate<String> hasTraffic) {
    /**
     * Options without a limit of documents a second, of clusters with the same names, of which the
     * targets get no requests of their own.
     */
    Options(
        Predicate<RepairEntry> filter,
        boolean dryRun,
        boolean sourceWins,
        boolean dismissUnrepairable,
        Duration retryTimeout) {
      this(
          filter,
          dryRun,
          sourceWins,
          dismissUnrepairable,
          retryTimeout,
          Double.POSITIVE_INFINITY,
          name -> false,
          name -> false);
    }
  }

  /**
   * Creates a repair.
   *
   * @param clusters by name; throws {@link IllegalArgumentException} for an unknown one
   * @param progress receives messages for operators, one line each
   */
  public RepairRunner(
      Function<String, ClusterDocumentClient> clusters,
      Options options,
      Consumer<String> progress) {
    this(clusters, options, progress, MAX_ENTRIES_PER_PASS);
  }

  RepairRunner(
      Function<String, ClusterDocumentClient> clusters,
      Options options,
      Consumer<String> progress,
      int maxEntriesPerPass) {
    this.clusters = clusters;
    this.options = options;
    this.progress = progress;
    this.maxEntriesPerPass = maxEntriesPerPass;
    this.total = new FileRepairSummary(options.dryRun());
    this.pace = RepairPace.of(options.maxDocumentsPerSecond());
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
    List<FileProgress> all = new ArrayList<>();
    long entries = 0;
    for (RepairLogFile file : files) {
      FileProgress counted = new FileProgress(file);
      file.forEachEntry((entry, position) -> counted.count(entry), counted::countUnreadable);
      entries += counted.documentEntries;
      pace.expect(counted.selectedEntries);
      all.add(counted);
    }
    int passes = Math.toIntExact(Math.max(1, Math.ceilDiv(entries, maxEntriesPerPass)));
    for (int pass = 0; pass < passes; pass++) {
      if (passes > 1) {
        progress.accept("pass " + (pass + 1) + " of " + passes);
      }
      PendingDocuments documents =
          PendingDocuments.read(files, options.filter(), options.renamed(), pass, passes);
      for (FileProgress file : all) {
        repair(file, documents.ofFile(file.file));
        if (pass == 0) {
          reportRest(file);
        }
        if (pass == passes - 1 && file.isRepaired && !options.dryRun()) {
          file.file.markDone();
          marks.delete(file.file.path());
        }
      }
    }
    if (files.size() > 1) {
      total.lines().forEach(line -> progress.accept("in all, " + line));
    }
    return !options.dryRun() && all.stream().allMatch(file -> file.isRepaired);
  }

  /** What is known of a file. Used by one thread. */
  private final class FileProgress {
    private final RepairLogFile file;
    private long entries;
    private long documentEntries;
    private long selectedEntries;
    private long requests;
    private long elsewhere;
    private long unreadable;
    private boolean isRepaired = true;

    FileProgress(RepairLogFile file) {
      this.file = file;
    }

    void count(RepairEntry entry) {
      entries++;
      boolean isDocument = entry instanceof RepairEntry.DocumentEntry;
      documentEntries += isDocument ? 1 : 0;
      if (!options.filter().test(entry)) {
        elsewhere++;
      } else if (isDocument) {
        selectedEntries++;
      } else {
        requests++;
      }
    }

    void countUnreadable(String line) {
      unreadable++;
    }
  }

  private void repair(FileProgress file, Set<PendingDocument> documents)
      throws IOException, InterruptedException {
    progress.accept(
        file.file.path() + ": " + file.entries + " entries, " + documents.size() + " documents");
    List<PendingDocument> untried =
        documents.stream().filter(known -> !known.isAttempted()).toList();
    Collection<List<PendingDocument>> byId =
        untried.stream()
            .collect(
                Collectors.groupingBy(
                    known -> known.first().newest().document().id(),
                    LinkedHashMap::new,
                    Collectors.toList()))
            .values();
    FileRepairSummary summary = new FileRepairSummary(options.dryRun());
    try {
      repairAll(List.copyOf(byId), summary);
    } finally {
      marks.sync();
    }
    summary.lines().forEach(line -> progress.accept("  " + line));
    summary.shownFailures().forEach(failure -> progress.accept("  " + failure));
    int before = documents.size() - untried.size();
    if (before > 0) {
      progress.accept("  " + before + " as in a file before");
    }
    file.isRepaired &= documents.stream().allMatch(PendingDocument::isRepaired);
  }

  /** Reports what is no document to repair. */
  private void reportRest(FileProgress file) throws IOException {
    if (file.requests + file.unreadable > 0) {
      List<RepairMarks.Position> dismissed = new ArrayList<>();
      file.file.forEachEntry(
          (entry, position) -> {
            if (entry instanceof RepairEntry.RequestEntry request && options.filter().test(entry)) {
              reportRequest(request);
              dismissed.add(position);
            }
          },
          line -> progress.accept("  unreadable: " + line));
      if (options.dismissUnrepairable() && !options.dryRun()) {
        marks.mark(dismissed);
        marks.sync();
      }
    }
    if (file.elsewhere > 0) {
      progress.accept("  " + file.elsewhere + " entries between other clusters are left");
    }
    file.isRepaired &=
        file.elsewhere == 0
            && file.unreadable == 0
            && (file.requests == 0 || options.dismissUnrepairable());
  }

  private void reportRequest(RepairEntry.RequestEntry request) {
    progress.accept(
        "  not repeated, "
            + request.time()
            + ": "
            + request.method()
            + " "
            + request.path()
            + (options.dismissUnrepairable() ? " (dismissed)" : ""));
  }

  /**
   * Repairs documents, several at a time.
   *
   * @param documents those of one id together, which are repaired one after the other: with
   *     different routings they may lie in one shard, where each replaces the other
   */
  private void repairAll(List<List<PendingDocument>> documents, FileRepairSummary summary)
      throws IOException, InterruptedException {
    AtomicInteger next = new AtomicInteger();
    AtomicLong lastReportNanos = new AtomicLong(System.nanoTime());
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < Math.min(MAX_CONCURRENT_DOCUMENTS, documents.size()); i++) {
      workers.add(
          Thread.ofVirtual()
              .name("weir-repair-" + i)
              .start(() -> {
                for (int at = next.getAndIncrement();
                    at < documents.size()
                        && failure.get() == null
                        && !Thread.currentThread().isInterrupted();
                    at = next.getAndIncrement()) {
                  try {
                    for (PendingDocument known : documents.get(at)) {
                      pace.await();
                      repair(known, summary);
                      pace.count(known.positions().size());
                    }
                  } catch (Throwable e) { // the marks can't be written: the run must end
                    failure.compareAndSet(null, e);
                  }
                  long last = lastReportNanos.get();
                  long now = System.nanoTime();
                  if (now - last > PROGRESS_INTERVAL_NANOS
                      && lastReportNanos.compareAndSet(last, now)) {
                    progress.accept(
                        "  so far " + String.join("; ", summary.lines()) + "; " + pace.describe());
                  }
                }
              }));
    }
    WorkerThreads.join(workers);
    switch (failure.get()) {
      case null -> {}
      case InterruptedException interrupted -> throw interrupted;
      case Error error -> throw error;
      case IOException io -> throw io;
      case Throwable other -> throw new IllegalStateException(other);
    }
  }

  private void repair(PendingDocument known, FileRepairSummary summary) throws IOException {
    known.setAttempted();
    RepairEntry.DocumentEntry entry = BidirectionalRepairer.entryOf(known);
    try {
      BidirectionalRepairer.Outcome outcome =
          new BidirectionalRepairer(clusters, options).repair(known);
      Result result = outcome.result();
      summary.add(outcome.entry(), result);
      total.add(outcome.entry(), result);
      boolean isRepaired =
          switch (result) {
            case WRITTEN, DELETED, SAME -> true;
            case NEWER_IN_TARGET, CROSSED, OTHER_DIRECTION -> false;
            case MISSING_IN_SOURCE, MISSING_IN_BACKING_INDEX -> options.dismissUnrepairable();
          };
      if (isRepaired && !options.dryRun()) {
        marks.mark(known.positions());
      }
      known.setRepaired(isRepaired);
    } catch (DocumentAccessException | IllegalArgumentException failure) {
      summary.fail(entry, String.valueOf(failure.getMessage()));
      total.fail(entry, "");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      summary.fail(entry, "interrupted");
    }
  }
}
