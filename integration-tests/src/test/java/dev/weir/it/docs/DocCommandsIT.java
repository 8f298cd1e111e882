package dev.weir.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.demo.SampleData;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands in the documents do what is said there. */
class DocCommandsIT {
  private static final String SAMPLE = "/products,access-log-*";

  private final NotRunHere left = new NotRunHere();
  private final List<String> problems = new ArrayList<>();

  @Test
  void theCommandsDoWhatIsSaid(@TempDir Path folder) throws Exception {
    int run = 0;
    DocPage.delete(SAMPLE);
    new SampleData(SharedCluster.get().rest(), 1, Clock.systemUTC()).load(line -> {});
    try {
      for (Doc doc : Doc.all()) {
        String name = doc.name().replace('/', '-');
        run += follow(doc, Files.createDirectory(folder.resolve(name)));
      }
    } finally {
      DocPage.delete(SAMPLE);
    }
    assertThat(problems).isEmpty();
    assertThat(run).isGreaterThan(60);
    assertThat(left.inVain()).as("left out, and in no document").isEmpty();
  }

  private int follow(Doc doc, Path folder) throws Exception {
    List<ShellCommand> commands =
        doc.blocks().stream()
            .filter(ShellCommand::isIn)
            .flatMap(block -> ShellCommand.of(block).stream())
            .filter(command -> !left.has(command))
            .toList();
    if (commands.isEmpty()) {
      return 0;
    }
    DocPage.cleanUp();
    int run = 0;
    try (DocPage page = new DocPage(doc, folder)) {
      for (Doc.Block block : doc.blocks()) {
        run += page.follow(block, left);
      }
      problems.addAll(page.problems());
    } finally {
      DocPage.cleanUp();
    }
    return run;
  }
}
