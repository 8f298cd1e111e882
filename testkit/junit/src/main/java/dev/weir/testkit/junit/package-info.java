/**
 * What the tests of every module share and what knows no class of Weir: the seed of a run, the
 * random order of tests, and the report of skipped tests.
 *
 * <p>Tests call {@link dev.weir.testkit.junit.TestSeed}; JUnit finds the other classes by itself,
 * through {@code junit-platform.properties} and {@code META-INF/services}.
 */
@NullMarked
package dev.weir.testkit.junit;

import org.jspecify.annotations.NullMarked;
