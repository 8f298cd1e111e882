package dev.weir.gateway;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.PolicyDiff;
import dev.weir.config.policy.PolicyDiff.Change;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Checks a configuration, or says what would change if one were put in place of another. */
@Command(
    name = "check",
    description = {
      "Checks a configuration: every problem at once. With --diff, says what a gateway that runs by"
          + " OLD would change if its file became NEW, and what of it needs a restart.",
      "Exit status: 0 when all is well (and nothing needs a restart), 2 when there are problems,"
          + " 3 when something needs a restart."
    },
    mixinStandardHelpOptions = true)
final class Check implements Callable<Integer> {
  static final int NEEDS_RESTART = 3;

  private final PolicyLoader loader = new PolicyLoader(System.getenv());

  @ArgGroup(multiplicity = "1")
  private @Nullable Asked asked;

  /** One of both. */
  static final class Asked {
    @Option(names = "--config", paramLabel = "FILE", description = "The configuration to check.")
    private @Nullable Path config;

    @Option(
        names = "--diff",
        arity = "2",
        paramLabel = "FILE",
        description = "The configurations to compare: OLD, then NEW.")
    private @Nullable List<Path> files;
  }

  @Override
  public Integer call() {
    if (asked == null || (asked.files != null && asked.files.size() != 2)) {
      return Main.WRONG;
    }
    return asked.files != null
        ? compare(asked.files.getFirst(), asked.files.getLast())
        : check(asked.config);
  }

  private int check(@Nullable Path file) {
    if (file == null || load(file) == null) {
      return Main.WRONG;
    }
    System.out.println(file + ": ok");
    return Main.OK;
  }

  private int compare(Path oldFile, Path newFile) {
    LoadResult.Loaded before = load(oldFile);
    LoadResult.Loaded after = load(newFile);
    if (before == null || after == null) {
      return Main.WRONG;
    }
    Set<String> hidden = new HashSet<>(before.fromFiles().keys());
    hidden.addAll(after.fromFiles().keys());
    List<Change> changes = PolicyDiff.between(before.policy(), after.policy(), hidden);
    if (changes.isEmpty()) {
      System.out.println("nothing changes");
      return Main.OK;
    }
    long live = print("takes effect while running:", changes, Change::live);
    long restart = print("needs a restart:", changes, change -> !change.live());
    System.out.println(live + " while running, " + restart + " by a restart");
    return restart == 0 ? Main.OK : NEEDS_RESTART;
  }

  private static long print(String title, List<Change> changes, Predicate<Change> which) {
    List<Change> of = changes.stream().filter(which).toList();
    PrintStream out = System.out;
    if (!of.isEmpty()) {
      out.println(title);
      of.forEach(change -> out.println("  " + change));
    }
    return of.size();
  }

  private LoadResult.@Nullable Loaded load(Path file) {
    return switch (loader.load(file)) {
      case LoadResult.Loaded loaded -> loaded;
      case LoadResult.Refused refused -> {
        System.err.print(refused.render());
        yield null;
      }
    };
  }
}
