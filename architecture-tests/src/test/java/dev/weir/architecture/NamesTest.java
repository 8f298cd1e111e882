package dev.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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

  private static final Pattern VAGUE =
      Pattern.compile("Default[A-Z]\\w*|\\w*(Manager|Helper|Utils?|Impl)");

  private static final Pattern WORD_START = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

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

  private static Stream<String> names() {
    return SourceTree.files().stream().map(SourceFile::simpleName);
  }
}
