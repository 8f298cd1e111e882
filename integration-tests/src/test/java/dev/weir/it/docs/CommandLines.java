package dev.weir.it.docs;

import dev.weir.gateway.Main;
import dev.weir.testkit.cli.DemoCommand;
import dev.weir.testkit.cli.NodesCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Weir's commands with their options, in the working tree and in the package. */
final class CommandLines {
  private static final Pattern CALL =
      Pattern.compile(
          "(\\./weir|/opt/weir/bin/weir|\\bbin/weir|(?<=`|\n)weir) ([a-z][a-z-]*)([^`\\n|;&>)]*)");
  private static final Pattern OPTION = Pattern.compile("(?<=\\s)--[a-z-]+");
  private static final Pattern CASE = Pattern.compile("(?m)^  ([a-z|&; -]+)\\)");

  private final Map<String, CommandLine> gateway = new CommandLine(Main.class).getSubcommands();
  private final Set<String> treeCommands;
  private final Set<String> packageCommands;

  CommandLines(Path root) throws IOException {
    this.treeCommands = cases(root.resolve("weir"));
    this.packageCommands = cases(root.resolve("deploy/package/bin/weir"));
  }

  private static Set<String> cases(Path script) throws IOException {
    String text = Files.readString(script);
    String choice = text.substring(text.lastIndexOf("\ncase $"));
    Set<String> names = new HashSet<>();
    CASE.matcher(choice)
        .results()
        .forEach(found -> names.addAll(List.of(found.group(1).strip().split("[ |]+"))));
    return names;
  }

  Set<String> treeCommands() {
    return treeCommands;
  }

  Set<String> packageCommands() {
    return packageCommands;
  }

  /** Returns the errors in the calls of a text. */
  List<String> problems(String text) throws IOException {
    List<String> problems = new ArrayList<>();
    Matcher call = CALL.matcher(text);
    while (call.find()) {
      boolean tree = call.group(1).startsWith("./");
      boolean quoted = call.group(1).length() > "weir".length() || call.group(3).contains(" --");
      String command = call.group(2);
      if (!quoted) {
        continue; // prose, not a command
      }
      if (!(tree ? treeCommands : packageCommands).contains(command)) {
        problems.add("got no command " + command + ": " + call.group());
        continue;
      }
      String arguments = call.group(3).replaceAll("\\s#.*", "");
      Set<String> known = options(command, arguments.strip().split("\\s+")[0]);
      if (known == null) {
        problems.add("got no such command: " + call.group());
        continue;
      }
      OPTION
          .matcher(arguments)
          .results()
          .map(found -> found.group())
          .filter(option -> !known.contains(option))
          .forEach(option -> problems.add("got no option " + option + ": " + call.group()));
    }
    return problems;
  }

  private @Nullable Set<String> options(String command, String next) throws IOException {
    return switch (command) {
      case "demo" -> optionsOf(CommandSpec.forAnnotatedObject(new DemoCommand()));
      case "nodes" -> optionsOf(CommandSpec.forAnnotatedObject(new NodesCommand()));
      case "bench" -> benchmark(next.matches("[a-z][a-z-]*") ? next : "bench");
      case "package", "test", "warm", "version", "help" -> Set.of();
      default -> {
        CommandLine line = gateway.get(command);
        yield line == null ? null : optionsOf(line.getCommandSpec());
      }
    };
  }

  private static Set<String> optionsOf(CommandSpec spec) {
    return spec.optionsMap().keySet();
  }

  /** Returns the options in the source of a benchmark; null for an unknown name. */
  private static @Nullable Set<String> benchmark(String name) throws IOException {
    try (Stream<Path> files = Files.walk(MarkdownDoc.root().resolve("benchmarks/src/main/java"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        String source = Files.readString(file);
        if (source.contains("@Command(") && source.contains("name = \"" + name + "\"")) {
          Set<String> options = new HashSet<>();
          Pattern.compile("\"(--[a-z-]+)\"")
              .matcher(source)
              .results()
              .forEach(found -> options.add(found.group(1)));
          return options;
        }
      }
    }
    return null;
  }
}
