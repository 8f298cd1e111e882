package dev.weir.bluegreen.compare;

import dev.weir.bluegreen.dual.ClusterDocumentClient;
import dev.weir.bluegreen.dual.ClusterDocumentClient.DocumentAccessException;
import dev.weir.bluegreen.dual.RollingRepairLogFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Compares an index of two clusters document by document. Reads each cluster's index once, at the
 * same time, into temporary files by ranges of the id's hash, and compares one range after the
 * other: the heap holds one range, some 50,000 documents up to six million. A document that differs
 * is read again by id from both clusters before it counts, since it may have changed meanwhile.
 * Blocks; used once.
 */
public final class IndexComparison {
  private static final int DOCUMENTS_PER_PART = 50_000;

  /** Twice as many files are open at a time. */
  private static final int MAX_PARTS = 128;

  private static final int MAX_SHOWN = 100;
  private static final long PROGRESS_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Side blue;
  private final Side green;
  private final Options options;
  private final Consumer<String> progress;
  private final Map<Difference, Long> counts = new HashMap<>();
  private long same;
  private int shown;

  /**
   * An index of a cluster.
   *
   * @param name of the cluster
   * @param index its name in this cluster
   */
  public record Side(String name, ClusterDocumentClient documents, String index) {}

  /**
   * The options of a comparison.
   *
   * @param scratch the directory of temporary files: some 100 bytes for each document and cluster,
   *     and the ids
   * @param fixLog the directory of a repair log that receives the differences; null for none
   * @param pageSize documents read at a time; the heap holds a page of each cluster
   * @param lookPause the time between two looks at a document that differs
   */
  public record Options(Path scratch, @Nullable Path fixLog, int pageSize, Duration lookPause) {}

  /** A kind of difference. */
  enum Difference {
    VERSION("different version"),
    SOURCE("different source"),
    ONLY_IN_BLUE("only in %s"),
    ONLY_IN_GREEN("only in %s"),
    /** Differed at each look, and each time in another way. */
    CHANGING("still changing");

    private final String text;

    Difference(String text) {
      this.text = text;
    }
  }

  private record Key(String id, @Nullable String routing) {}

  /** A comparison failed. The message is for operators. */
  public static final class ComparisonException extends Exception {
    private static final long serialVersionUID = 1L;

    ComparisonException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * Creates a comparison.
   *
   * @param blue the side that counts as right in the log of {@link Options#fixLog}
   * @param progress receives messages for operators, one line each
   */
  public IndexComparison(Side blue, Side green, Options options, Consumer<String> progress) {
    this.blue = blue;
    this.green = green;
    this.options = options;
    this.progress = progress;
  }

  /**
   * Compares.
   *
   * @return whether the indices have the same documents
   * @throws IOException if the temporary files or the log can't be used
   */
  public boolean run() throws IOException, ComparisonException, InterruptedException {
    Files.createDirectories(options.scratch());
    Path directory = Files.createTempDirectory(options.scratch(), "weir-compare-");
    try {
      long ofBlue = count(blue);
      long ofGreen = count(green);
      int parts =
          Math.clamp(Math.ceilDiv(Math.max(ofBlue, ofGreen), DOCUMENTS_PER_PART), 1, MAX_PARTS);
      try (FingerprintSpool blues = new FingerprintSpool(directory, "blue", parts);
          FingerprintSpool greens = new FingerprintSpool(directory, "green", parts)) {
        scanBoth(new Scan(blue, blues, ofBlue), new Scan(green, greens, ofGreen));
        compare(blues, greens, parts);
      }
    } finally {
      Files.deleteIfExists(directory);
    }
    report();
    return counts.isEmpty();
  }

  private long count(Side side) throws ComparisonException {
    try {
      return new IndexScanner(side.documents(), side.index(), options.pageSize()).count();
    } catch (DocumentAccessException e) {
      throw failed(side, e);
    }
  }

  private static ComparisonException failed(Side side, DocumentAccessException cause) {
    return new ComparisonException(
        "can't read " + side.index() + " of " + side.name() + ": " + cause.getMessage(), cause);
  }

  /** Reads a cluster's index. */
  private final class Scan implements Callable<@Nullable Void> {
    private final Side side;
    private final FingerprintSpool spool;
    private final long total;
    private @Nullable String concreteIndex;

    Scan(Side side, FingerprintSpool spool, long total) {
      this.side = side;
      this.spool = spool;
      this.total = total;
    }

    @Override
    public @Nullable Void call() throws IOException, ComparisonException, InterruptedException {
      long begun = System.nanoTime();
      AtomicLong reported = new AtomicLong(begun);
      AtomicLong documents = new AtomicLong();
      try {
        new IndexScanner(side.documents(), side.index(), options.pageSize())
            .scan(document -> {
              requireOneIndex(document.index());
              spool.add(document);
              long read = documents.incrementAndGet();
              long now = System.nanoTime();
              if (now - reported.get() > PROGRESS_INTERVAL_NANOS) {
                reported.set(now);
                double seconds = (double) (now - begun) / TimeUnit.SECONDS.toNanos(1);
                say(
                    "%s: %d of about %d documents read, %d documents/s"
                        .formatted(side.name(), read, total, Math.round(read / seconds)));
              }
            });
        spool.finish();
        say("%s: %d documents read".formatted(side.name(), documents.get()));
        return null;
      } catch (DocumentAccessException e) {
        throw failed(side, e);
      }
    }

    /** Documents of several indices may have the same id. */
    private void requireOneIndex(String found) {
      if (concreteIndex == null) {
        concreteIndex = found;
      } else if (!concreteIndex.equals(found)) {
        throw new IllegalArgumentException(
            "got %s of %s, which stands for several indices, such as %s and %s (expected: one; compare each by itself)"
                .formatted(side.index(), side.name(), concreteIndex, found));
      }
    }
  }

  private synchronized void say(String line) {
    progress.accept(line);
  }

  /** Reads both at the same time; the failure of one ends the other. */
  private static void scanBoth(Scan one, Scan other)
      throws IOException, ComparisonException, InterruptedException {
    ThreadFactory named = Thread.ofVirtual().name("weir-compare").factory();
    try (ExecutorService threads = Executors.newThreadPerTaskExecutor(named)) {
      CompletionService<@Nullable Void> scans = new ExecutorCompletionService<>(threads);
      scans.submit(one);
      scans.submit(other);
      try {
        scans.take().get();
        scans.take().get();
      } catch (ExecutionException e) {
        switch (e.getCause()) {
          case IOException io -> throw io;
          case ComparisonException failed -> throw failed;
          case InterruptedException interrupted -> throw interrupted;
          case RuntimeException refused -> throw refused;
          case Error error -> throw error;
          case null, default -> throw new IllegalStateException(e);
        }
      } finally {
        threads.shutdownNow();
      }
    }
  }

  private void compare(FingerprintSpool blues, FingerprintSpool greens, int parts)
      throws IOException, ComparisonException, InterruptedException {
    RollingRepairLogFile log =
        options.fixLog() == null ? null : RollingRepairLogFile.startNow(options.fixLog());
    try {
      for (int part = 0; part < parts; part++) {
        Map<Key, DocumentFingerprint> inBlue = new HashMap<>();
        blues.drain(part, one -> inBlue.put(new Key(one.id(), one.routing()), one));
        List<ComparedDocument> differing = new ArrayList<>();
        greens.drain(
            part,
            there -> {
              DocumentFingerprint here = inBlue.remove(new Key(there.id(), there.routing()));
              if (here != null && here.isSameAs(there)) {
                same++;
              } else {
                differing.add(new ComparedDocument(here, there));
              }
            });
        inBlue.values().forEach(here -> differing.add(new ComparedDocument(here, null)));
        inBlue.clear();
        count(differing, log);
        if (parts > 1) {
          say("part " + (part + 1) + " of " + parts + " compared; " + summary());
        }
      }
    } finally {
      if (log != null) {
        log.close();
      }
    }
  }

  /** Looks at the documents again, and counts those that still differ. */
  private void count(List<ComparedDocument> differing, @Nullable RollingRepairLogFile log)
      throws IOException, ComparisonException, InterruptedException {
    DifferenceVerifier verifier = new DifferenceVerifier(blue, green, options.lookPause());
    List<byte[]> entries = new ArrayList<>();
    DifferenceVerifier.Verified verified;
    try {
      verified = verifier.verify(differing);
    } catch (DocumentAccessException e) {
      throw new ComparisonException("can't read a document again: " + e.getMessage(), e);
    }
    for (ComparedDocument document : verified.changing()) {
      counts.merge(Difference.CHANGING, 1L, Long::sum);
      show(document, Difference.CHANGING);
    }
    for (ComparedDocument document : verified.settled()) {
      Difference difference = document.difference();
      if (difference == null) {
        same += document.exists() ? 1 : 0;
        continue;
      }
      counts.merge(difference, 1L, Long::sum);
      show(document, difference);
      if (log != null) {
        entries.add(document.toRepairEntry(Instant.now(), blue, green).toLine());
      }
    }
    if (log != null && !entries.isEmpty()) {
      log.write(entries);
    }
  }

  private void show(ComparedDocument document, Difference difference) {
    if (shown < MAX_SHOWN) {
      shown++;
      say(
          "  "
              + document.any().id()
              + routing(document.any())
              + ": "
              + describe(document, difference));
    }
  }

  private static String routing(DocumentFingerprint document) {
    return document.routing() == null ? "" : " (routing " + document.routing() + ")";
  }

  private String describe(ComparedDocument document, Difference difference) {
    DocumentFingerprint here = document.inBlue();
    DocumentFingerprint there = document.inGreen();
    if (difference == Difference.CHANGING) {
      return label(difference);
    }
    if (here != null && there != null) {
      return difference == Difference.VERSION
          ? "version %d in %s, %d in %s"
              .formatted(here.version(), blue.name(), there.version(), green.name())
          : "different source in version " + here.version();
    }
    return label(difference) + ", version " + document.any().version();
  }

  private String label(Difference difference) {
    return difference.text.formatted(
        difference == Difference.ONLY_IN_BLUE ? blue.name() : green.name());
  }

  private String summary() {
    StringBuilder text = new StringBuilder().append(same).append(" same");
    for (Difference difference : Difference.values()) {
      if (difference == Difference.CHANGING && !counts.containsKey(difference)) {
        continue;
      }
      text.append(", ").append(counts.getOrDefault(difference, 0L)).append(' ');
      text.append(label(difference));
    }
    return text.toString();
  }

  private void report() {
    long differences = counts.values().stream().mapToLong(Long::longValue).sum();
    if (differences > shown) {
      say("  and " + (differences - shown) + " further differences");
    }
    say(summary());
    long logged = differences - counts.getOrDefault(Difference.CHANGING, 0L);
    if (options.fixLog() != null && logged > 0) {
      say(
          "%d entries from %s to %s written to %s (expected: weir repair --log %s)"
              .formatted(logged, blue.name(), green.name(), options.fixLog(), options.fixLog()));
    }
  }
}
