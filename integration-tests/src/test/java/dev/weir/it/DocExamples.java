package dev.weir.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The requests in a document, with the documented responses. */
public final class DocExamples {
  private static final Pattern BLOCK =
      Pattern.compile("```(http|json|csv|ndjson)\n(.*?)```", Pattern.DOTALL);

  /**
   * One example.
   *
   * @param kind of the response; empty if the document shows none
   */
  public record Example(String method, String path, String body, String kind, String answer) {
    private Example answered(String how, String with) {
      return new Example(method, path, body, how, with);
    }
  }

  private DocExamples() {}

  /** Returns the examples of a document of the folder docs, in order. */
  public static List<Example> of(String document) throws IOException {
    Path docs = Path.of(System.getProperty("weir.root", ".."), "docs");
    Matcher blocks = BLOCK.matcher(Files.readString(docs.resolve(document)));
    List<Example> examples = new ArrayList<>();
    while (blocks.find()) {
      String kind = blocks.group(1);
      String text = blocks.group(2);
      if (kind.equals("http")) {
        int end = text.indexOf('\n');
        String[] line = text.substring(0, end).split(" ", 2);
        examples.add(new Example(line[0], line[1], text.substring(end + 1), "", ""));
      } else {
        examples.add(examples.removeLast().answered(kind, text));
      }
    }
    return examples;
  }
}
