package dev.weir.testkit.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test, or a class of tests, that takes long: only some builds run it, drawn by {@link TestSeed}.
 * All run with {@code -Dweir.suite=all}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(DrawnCondition.class)
public @interface Drawn {
  /** One in so many builds runs it. */
  int oneIn();
}
