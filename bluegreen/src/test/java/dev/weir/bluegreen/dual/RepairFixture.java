package dev.weir.bluegreen.dual;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Runs repairs between the two clusters of a {@link DualWriteFixture}, which then use one thread.
 */
final class RepairFixture {
  private RepairFixture() {}

  /** Returns the entries of a file, each line of which must be one. */
  static List<RepairEntry> entriesOf(RepairLogFile file) throws IOException {
    List<RepairEntry> entries = new ArrayList<>();
    file.forEachEntry(
        (entry, position) -> entries.add(entry),
        line -> {
          throw new AssertionError("got the line " + line + " (expected: an entry)");
        });
    return entries;
  }

  static boolean run(DualWriteFixture world, Path directory, boolean fromWins)
      throws IOException, InterruptedException {
    return run(
        world,
        directory,
        new RepairRunner.Options(entry -> true, false, fromWins, false, Duration.ofSeconds(2)),
        new ArrayList<>());
  }

  static boolean run(
      DualWriteFixture world, Path directory, RepairRunner.Options wish, List<String> said)
      throws IOException, InterruptedException {
    return run(world, directory, wish, said, Integer.MAX_VALUE);
  }

  static boolean run(
      DualWriteFixture world,
      Path directory,
      RepairRunner.Options wish,
      List<String> said,
      int maxEntriesPerPass)
      throws IOException, InterruptedException {
    try (ExecutorService home = Executors.newSingleThreadExecutor()) {
      ClusterDocumentClient blue =
          new ClusterDocumentClient(world.blue, home, Duration.ofSeconds(5));
      ClusterDocumentClient green =
          new ClusterDocumentClient(world.green, home, Duration.ofSeconds(5));
      return new RepairRunner(
              name -> name.equals("blue") ? blue : green, wish, said::add, maxEntriesPerPass)
          .run(directory);
    }
  }
}
