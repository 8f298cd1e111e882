/**
 * That what the documents say is so: links, names of keys, metrics, alerts and commands,
 * configurations, and commands with what they print.
 *
 * <p>How documents say it: a block tagged {@code yaml} is a configuration of the gateway or a part
 * of one, in force from there on; one that begins with {@code # NAME.yaml} is also a file of that
 * name. {@code sh} holds commands; {@code console} commands after {@code "$ "}, each followed by
 * what it prints ({@link dev.weir.it.docs.AnswerShape} says how exactly). A command that is
 * expected to fail says so by its output, such as {@code echo "status $?"} or an HTTP status line.
 * {@code localhost:9200} is the gateway, {@code localhost:9250} its admin port, {@code
 * localhost:9201} a node. Blocks tagged {@code http} are run by tests of their own.
 */
@NullMarked
package dev.weir.it.docs;

import org.jspecify.annotations.NullMarked;
