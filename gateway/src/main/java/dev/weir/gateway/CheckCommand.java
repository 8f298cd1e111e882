package dev.weir.gateway;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.load.SecurityWarnings;
import dev.weir.config.policy.PolicyDiff;
import dev.weir.config.policy.PolicyDiff.Change;
import dev.weir.gateway.command.ExitStatus;
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

/** Checks a configuration, or lists what would change if another one replaced it. */
@Command(
    name = "check",
    description = {
      "Checks a configuration, and reports every problem at once. Warns of settings that weaken"
          + " security. With --diff, lists what would"
          + " change in a gateway that runs with OLD if its file became NEW, and which changes need"
          + " a restart.",
      "Exit status: 0 without problems (and without changes that need a restart), 2 with problems,"
          + " 3 with changes that need a restart."
    },
    mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {
  private final PolicyLoader loader = new PolicyLoader(System.getenv());

  @ArgGroup(multiplicity = "1")
  private @Nullable Inputs inputs;

  /** Either one file, or two. */
  static final class Inputs {
    @Option(names = "--config", paramLabel = "FILE", description = "The configuration to check.")
    private @Nullable Path configFile;

    @Option(
        names = "--diff",
        arity = "2",
        paramLabel = "FILE",
        description = "The configurations to compare: OLD, then NEW.")
    private @Nullable List<Path> compareFiles;
  }

  @Override
  public Integer call() {
    if (inputs == null || (inputs.compareFiles != null && inputs.compareFiles.size() != 2)) {
      return ExitStatus.USAGE_ERROR;
    }
    return inputs.compareFiles != null
        ? compare(inputs.compareFiles.getFirst(), inputs.compareFiles.getLast())
        : check(inputs.configFile);
  }

  private int check(@Nullable Path file) {
    LoadResult.Loaded loaded = file == null ? null : loadFile(file);
    if (loaded == null) {
      return ExitStatus.USAGE_ERROR;
    }
    SecurityWarnings.of(loaded.policy())
        .forEach(warning -> System.err.println("warning: " + warning));
    System.out.println(file + ": ok");
    return ExitStatus.OK;
  }

  private int compare(Path oldFile, Path newFile) {
    LoadResult.Loaded before = loadFile(oldFile);
    LoadResult.Loaded after = loadFile(newFile);
    if (before == null || after == null) {
      return ExitStatus.USAGE_ERROR;
    }
    Set<String> hidden = new HashSet<>(before.fileReferences().keys());
    hidden.addAll(after.fileReferences().keys());
    List<Change> changes = PolicyDiff.compare(before.policy(), after.policy(), hidden);
    if (changes.isEmpty()) {
      System.out.println("nothing changes");
      return ExitStatus.OK;
    }
    long live = print("takes effect while running:", changes, Change::dynamic);
    long restart = print("needs a restart:", changes, change -> !change.dynamic());
    System.out.println(live + " while running, " + restart + " by a restart");
    return restart == 0 ? ExitStatus.OK : ExitStatus.NEEDS_RESTART;
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

  private LoadResult.@Nullable Loaded loadFile(Path file) {
    return switch (loader.load(file)) {
      case LoadResult.Loaded loaded -> loaded;
      case LoadResult.Invalid invalid -> {
        System.err.print(invalid.render());
        yield null;
      }
    };
  }
}
