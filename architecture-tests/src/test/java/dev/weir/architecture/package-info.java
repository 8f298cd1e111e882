/** Checks the rules of ARCHITECTURE.md against the classes and the sources of every module. */
@org.jspecify.annotations.NullMarked
package dev.weir.architecture;
