package dev.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructor;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Bounds of files, constructors and records. */
final class CodeRulesTest {
  private static final int MAX_FILE_LINES = 500;
  private static final int MAX_PARAMETERS = 6;

  private static final Predicate<String> BUFFER =
      Pattern.compile("^io\\.netty\\.buffer\\.\\w*ByteBuf$").asPredicate();

  private static final Predicate<String> NULL_MARKED =
      Pattern.compile("^@(org\\.jspecify\\.annotations\\.)?NullMarked\\b").asPredicate();

  /** Files that are still to be split by meaning. */
  private static final KnownViolations LONG_FILES = new KnownViolations();

  @Test
  void keepFilesShort() {
    Set<String> longer = new TreeSet<>();
    for (SourceFile file : SourceTree.files()) {
      if (file.lines().size() > MAX_FILE_LINES) {
        longer.add(file.simpleName());
      }
    }
    LONG_FILES.check("files over " + MAX_FILE_LINES + " lines", longer);
  }

  @Test
  void keepConstructorsShort() {
    Set<String> longer = new TreeSet<>();
    for (JavaClass found : WeirClasses.ALL) {
      if (!found.isRecord()
          && !found.isEnum()
          && !found.isAnonymousClass()
          && !found.isLocalClass()) {
        found.getConstructors().stream()
            .filter(constructor -> constructor.getRawParameterTypes().size() > MAX_PARAMETERS)
            .map(JavaConstructor::getFullName)
            .forEach(longer::add);
      }
    }
    assertThat(longer).isEmpty();
  }

  @Test
  void keepBuffersOutOfRecords() {
    Set<String> holders = new TreeSet<>();
    for (JavaClass found : WeirClasses.ALL) {
      if (found.isRecord()) {
        found.getFields().stream()
            .filter(field -> BUFFER.test(field.getRawType().getName()))
            .forEach(field -> holders.add(field.getFullName()));
      }
    }
    assertThat(holders).as("a record is copied and compared, a buffer has one owner").isEmpty();
  }

  @Test
  void markEveryPackageForNullChecks() {
    Set<String> unmarked = new TreeSet<>();
    Set<String> marked = new TreeSet<>();
    for (SourceFile file : SourceTree.mainFiles()) {
      if (file.packageName().startsWith("dev.weir.")) { // the others are OpenSearch's packages
        unmarked.add(file.packageName());
      }
      if (file.isPackageInfo() && file.lines().stream().anyMatch(NULL_MARKED)) {
        marked.add(file.packageName());
      }
    }
    unmarked.removeAll(marked);
    assertThat(unmarked).isEmpty();
  }
}
