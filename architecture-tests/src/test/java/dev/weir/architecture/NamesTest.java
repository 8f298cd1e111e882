package dev.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The words of class names and of sentences. */
final class NamesTest {
  /** Words of class names that had a private meaning here once; docs/glossary.md has today's. */
  private static final Set<String> RETIRED =
      Set.of(
          "Walk",
          "Side",
          "Sides",
          "Commons",
          "Desk",
          "Treatment",
          "Patience",
          "Stand",
          "Crowd",
          "Passage",
          "Told",
          "Heard",
          "Ask",
          "Wish",
          "Piggyback",
          "Outgrown",
          "Paid",
          "Tended",
          "Tally",
          "Promises",
          "Gatekeeper",
          "Claim",
          "Turn",
          "Rescue",
          "Troubles",
          "Vitals",
          "Hunt",
          "Look",
          "Belief",
          "Standing",
          "Weighed",
          "Reached",
          "Settling",
          "Securing",
          "Noticed",
          "Way",
          "Door",
          "Business",
          "Unsayable",
          "House",
          "Room",
          "Rooms");

  /** Words of variables, methods and constants that say nothing of what they hold. */
  private static final Set<String> RIDDLES_IN_CODE =
      Set.of("told", "heard", "unheard", "passage", "piggyback", "belief", "door");

  private static final Pattern COMMENT_OR_LITERAL =
      Pattern.compile(
          "(?s)/\\*.*?\\*/|//[^\n]*|\"\"\".*?\"\"\""
              + "|\"(?:\\\\.|[^\"\\\\\n])*+\"|'(?:\\\\[^\n]{1,5}|[^'\\\\\n])'");

  private static final Pattern IDENTIFIER = Pattern.compile("\\b[A-Za-z_]\\w*");

  private static final Pattern VAGUE =
      Pattern.compile("Default[A-Z]\\w*|\\w*(Manager|Helper|Utils?|Impl)");

  private static final Pattern WORD_START = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|_");

  /** Phrases that a native reader must decode. */
  private static final Pattern RIDDLE =
      Pattern.compile(
          "\\b(is told|are told|[Ww]hose a |anew\\b|in vain|for good\\b|[Ww]hoever|begun anew"
              + "|comes to nothing|is gone on with)");

  @Test
  void giveEachMainClassANameOfItsOwn() {
    Set<String> seen = new TreeSet<>();
    Set<String> twice = new TreeSet<>();
    for (SourceFile file : SourceTree.mainFiles()) {
      if (!file.isPackageInfo() && !seen.add(file.simpleName())) {
        twice.add(file.simpleName());
      }
    }
    assertThat(twice).isEmpty();
  }

  @Test
  void nameNoClassByARetiredWord() {
    assertThat(
            names()
                .filter(name -> Arrays.stream(WORD_START.split(name)).anyMatch(RETIRED::contains)))
        .isEmpty();
  }

  @Test
  void nameNoClassVaguely() {
    assertThat(names().filter(name -> VAGUE.matcher(name).matches())).isEmpty();
  }

  @Test
  void writeNoRiddles() {
    List<String> lines =
        List.of(".md", ".java").stream()
            .flatMap(suffix -> SourceTree.filesBelow(SourceTree.ROOT, suffix).stream())
            .filter(path -> !path.endsWith("NamesTest.java"))
            .flatMap(path -> SourceTree.read(path).lines().map(line -> path + ": " + line))
            .filter(line -> RIDDLE.matcher(line).find())
            .toList();
    assertThat(lines).isEmpty();
  }

  @Test
  void nameNothingInMainCodeByARiddle() {
    List<String> riddles =
        SourceTree.mainFiles().stream()
            .flatMap(file -> riddles(file).map(name -> file.simpleName() + ": " + name))
            .distinct()
            .toList();
    assertThat(riddles).isEmpty();
  }

  private static Stream<String> riddles(SourceFile file) {
    String code = COMMENT_OR_LITERAL.matcher(SourceTree.read(file.path())).replaceAll(" ");
    return IDENTIFIER
        .matcher(code)
        .results()
        .map(MatchResult::group)
        .filter(name ->
            Arrays.stream(WORD_START.split(name))
                .anyMatch(word -> RIDDLES_IN_CODE.contains(word.toLowerCase(Locale.ROOT))));
  }

  private static Stream<String> names() {
    return SourceTree.files().stream().map(SourceFile::simpleName);
  }
}
