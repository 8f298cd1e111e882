/**
 * Child processes that cannot outlive their parent: the class paths they run from, the ports they
 * take, the folders they write to, and the signals that stop and resume them.
 *
 * <p>Blocking code for test threads and command lines; nothing here may run on an event loop.
 */
@NullMarked
package dev.weir.testkit.process;

import org.jspecify.annotations.NullMarked;
