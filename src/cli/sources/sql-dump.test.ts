import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CommandFailure } from "../failure.ts";
import { readSqlDump } from "./sql-dump.ts";
import type { Tables } from "./tables.ts";

const read = <Result>(text: string, convert: (tables: Tables) => Result) =>
  readSqlDump(text, { file: "a.sql", tool: "it", convert });
const rows = (text: string, table = "t") =>
  read(text, (tables) => tables.rows(table).map((row) => Object.fromEntries(row.names().map((n) => [n, row.take(n)]))));

const MARIADB = `/*M!999999\\- enable the sandbox mode */
-- MariaDB dump 10.19  Distrib 10.11.6-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: kuma
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
DROP TABLE IF EXISTS \`t\`;
/*!40101 SET character_set_client = utf8 */;
CREATE TABLE \`t\` (
  \`id\` int(10) unsigned NOT NULL AUTO_INCREMENT,
  \`name\` varchar(150) NOT NULL DEFAULT 'its; (a)',
  \`key\` int(11) NOT NULL DEFAULT 20,
  \`both\` int(11) GENERATED ALWAYS AS (\`id\` + \`key\`) VIRTUAL,
  \`text\` longtext DEFAULT NULL CHECK (json_valid(\`text\`)),
  PRIMARY KEY (\`id\`),
  KEY \`by_key\` (\`key\`),
  CONSTRAINT \`t_other\` FOREIGN KEY (\`key\`) REFERENCES \`other\` (\`id\`) ON DELETE CASCADE
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
LOCK TABLES \`t\` WRITE;
/*!40000 ALTER TABLE \`t\` DISABLE KEYS */;
`;
const POSTGRES = `--
-- PostgreSQL database dump
--
SET standard_conforming_strings = on;
CREATE TABLE public.t (
    id integer NOT NULL,
    name character varying(100) NOT NULL,
    is_on boolean NOT NULL,
    at timestamp with time zone
);
ALTER TABLE public.t OWNER TO hc;
`;

describe("a dump of MariaDB", () => {
  it("gives the rows of its tables, without what their columns hold anyhow", () => {
    const text = `${MARIADB}INSERT INTO \`t\` VALUES
(1,'a\\'b\\\\c\\nd''e',20,'{\\"a\\":\\"),(\\"}'),
(2,'its; (a)',-7,NULL),(3,_binary 'x',0x41,'');
INSERT INTO \`t\` (\`id\`, \`text\`) VALUES (4,'-- no comment');
UNLOCK TABLES;
`;
    expect(rows(text)).toEqual([
      { id: 1, name: "a'b\\c\nd'e", text: '{"a":"),("}' },
      { id: 2, key: -7 },
      { id: 3, name: "x", key: "0x41" },
      { id: 4, text: "-- no comment" },
    ]);
    expect(read(text, (tables) => tables.unread())).toEqual([{ table: "t", count: 4 }]);
  });

  it.each([
    ["that ends within a text", `${MARIADB}INSERT INTO \`t\` VALUES (1,'a`, /cannot be read at line 2\d/],
    ["that ends within a row", `${MARIADB}INSERT INTO \`t\` VALUES (1,`, /cannot be read/],
    ["with a row of another length", `${MARIADB}INSERT INTO \`t\` VALUES (1,'a');`, /cannot be read/],
    ["with an expression for a value", `${MARIADB}INSERT INTO \`t\` VALUES (sleep(9),'a',1,'');`, /cannot be read/],
    ["that fills a table it does not create", `${MARIADB}INSERT INTO \`u\` VALUES (1);`, /without a line that creates/],
    ["that is no dump", "CREATE TABLE t (id INTEGER)", /neither SQLite nor a dump/],
  ])("%s is refused in one sentence", (_, text, reason) => {
    expect(() => rows(text)).toThrow(reason);
    expect(() => rows(text)).toThrow(CommandFailure);
  });

  it("with more rows than anybody has is refused", () => {
    const many = `${MARIADB}INSERT INTO \`t\` (\`id\`) VALUES ${Array(20_001).fill("(1)").join(",")};`;
    expect(() => rows(many)).toThrow("more than 20000 rows");
  });

  it("that is damaged gives rows or one sentence, and never hangs", () => {
    const whole = `${MARIADB}INSERT INTO \`t\` VALUES (1,'a\\'b',20,'{}'),(2,'c',3,NULL);\n`;
    const sign = fc.constantFrom("'", '"', "`", "(", ")", ",", ";", "\\", "/*", "--", "\n", "x");
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(12), sign, (at, length, added) => {
        const text = whole.slice(0, at) + added + whole.slice(at + length);
        try {
          expect(rows(text).length).toBeLessThanOrEqual(2);
        } catch (error) {
          expect(error).toBeInstanceOf(CommandFailure);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("a dump of PostgreSQL", () => {
  it("gives the rows that COPY lists", () => {
    const text = `${POSTGRES}COPY public.t (id, name, is_on, at) FROM stdin;
1	a\\tb\\\\n	t	2026-11-27 03:00:02+00
2	c;'	f	\\N
\\.
SELECT pg_catalog.setval('public.t_id_seq', 2, true);
`;
    expect(rows(text)).toEqual([
      { id: "1", name: "a\tb\\n", is_on: 1, at: "2026-11-27 03:00:02+00" },
      { id: "2", name: "c;'", is_on: 0 },
    ]);
  });

  it("gives the rows that INSERT lists, where a backslash is one", () => {
    const text = `${POSTGRES}INSERT INTO public.t (id, name, is_on, at) VALUES (1, 'a\\n''b', true, NULL);\n`;
    expect(rows(text)).toEqual([{ id: 1, name: "a\\n'b", is_on: 1 }]);
  });

  it("that ends within COPY is refused", () => {
    expect(() => rows(`${POSTGRES}COPY public.t (id) FROM stdin;\n1\n`)).toThrow("cannot be read");
  });
});
