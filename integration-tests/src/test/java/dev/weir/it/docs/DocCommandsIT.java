package dev.weir.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.plugin.PluginPlacements;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.demo.SampleDataLoader;
import dev.weir.testkit.junit.Drawn;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands in the documents do what the documents say. */
@Drawn(oneIn = 2)
class DocCommandsIT {
  private static final String SAMPLE = "/products,access-log-*";

  private final SkippedCommands left = new SkippedCommands();
  private final List<String> problems = new ArrayList<>();

  @Test
  void runTheDocumentedCommands(@TempDir Path folder) throws Exception {
    PluginPlacements.assumeOnAllNodes();
    int run = 0;
    DocRunner.delete(SAMPLE);
    new SampleDataLoader(SharedCluster.get().rest(), 1, Clock.systemUTC()).load(line -> {});
    try {
      for (MarkdownDoc doc : MarkdownDoc.all()) {
        String name = doc.name().replace('/', '-');
        run += follow(doc, Files.createDirectory(folder.resolve(name)));
      }
    } finally {
      DocRunner.delete(SAMPLE);
    }
    assertThat(problems).isEmpty();
    assertThat(run).isGreaterThan(60);
    assertThat(left.unusedEntries()).as("left out, and in no document").isEmpty();
  }

  private int follow(MarkdownDoc doc, Path folder) throws Exception {
    List<ShellCommand> commands =
        doc.blocks().stream()
            .filter(ShellCommand::isIn)
            .flatMap(block -> ShellCommand.of(block).stream())
            .filter(command -> !left.contains(command))
            .toList();
    if (commands.isEmpty()) {
      return 0;
    }
    DocRunner.cleanUp();
    int run = 0;
    try (DocRunner page = new DocRunner(doc, folder)) {
      for (MarkdownDoc.Block block : doc.blocks()) {
        run += page.run(block, left);
      }
      problems.addAll(page.problems());
    } finally {
      DocRunner.cleanUp();
    }
    return run;
  }
}
