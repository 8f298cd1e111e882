package dev.weir.bluegreen.dual;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs repairs between the two clusters of a {@link DualWorld}, which are on one thread then. */
final class Repairs {
  private Repairs() {}

  static boolean run(DualWorld world, Path directory, boolean fromWins)
      throws IOException, InterruptedException {
    return run(
        world,
        directory,
        new Repair.Wish(entry -> true, false, fromWins, false, Duration.ofSeconds(2)),
        new ArrayList<>());
  }

  static boolean run(DualWorld world, Path directory, Repair.Wish wish, List<String> said)
      throws IOException, InterruptedException {
    try (ExecutorService home = Executors.newSingleThreadExecutor()) {
      ClusterDocuments blue = new ClusterDocuments(world.blue, home, Duration.ofSeconds(5));
      ClusterDocuments green = new ClusterDocuments(world.green, home, Duration.ofSeconds(5));
      return new Repair(name -> name.equals("blue") ? blue : green, wish, said::add).run(directory);
    }
  }
}
