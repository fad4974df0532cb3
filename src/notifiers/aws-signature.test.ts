import { describe, expect, it } from "vitest";
import { type AwsRequest, sha256Hex, signAwsRequest } from "./aws-signature.ts";

/** The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html. */
const EMPTY = sha256Hex("");
const BODY = sha256Hex("Welcome to Amazon S3.");
const request = (method: string, path: string, headers: Record<string, string>, digest = EMPTY): AwsRequest => ({
  method,
  url: new URL(path, "https://examplebucket.s3.amazonaws.com"),
  headers: { ...headers, "x-amz-content-sha256": digest },
  digest,
  service: "s3",
  region: "us-east-1",
  credentials: { id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" },
  sent_at: Date.UTC(2013, 4, 24),
});

describe("a request to AWS is signed as its documentation signs", () => {
  it.each([
    [
      "the part of an object",
      request("GET", "/test.txt", { range: "bytes=0-9" }),
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ],
    [
      "an upload whose name has to be encoded",
      request(
        "PUT",
        "/test$file.text",
        { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
        BODY,
      ),
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    ],
    [
      "a question without a value",
      request("GET", "/?lifecycle", {}),
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    ],
    [
      "a question with several",
      request("GET", "/?max-keys=2&prefix=J", {}),
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    ],
  ])("%s", (_what, signed, signature) => {
    expect(signAwsRequest(signed).authorization).toContain(`Signature=${signature}`);
  });
});
